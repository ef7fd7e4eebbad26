package urls_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/permissions/urls"
)

func TestClassOf(t *testing.T) {
	for class, addresses := range map[urls.Class]string{
		urls.Public: "1.1.1.1 8.8.8.8 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 223.255.255.255 " +
			"126.255.255.255 " +
			"2606:4700::1111 64:ff9b::808:808 2002:808:808::1 ::ffff:8.8.8.8 ::8.8.8.8 ::ffff:0:8.8.8.8",
		urls.Loopback: "127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1 " +
			"2002:7f00:1::1 ::127.0.0.1 " +
			"::ffff:0:127.0.0.1",
		urls.PrivateNetwork: "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 ::ffff:10.0.0.1 64:ff9b::c0a8:101 " +
			"64:ff9b:1::1 " +
			"2002:a00:1::",
		urls.LinkLocal: "169.254.0.1 169.254.169.253 fe80::1 fe80::1%eth0 febf::1 ::ffff:169.254.1.1",
		urls.CloudMetadata: "169.254.169.254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe " +
			"2002:a9fe:a9fe::1 " +
			"169.254.170.2 100.100.100.200 fd00:ec2::254 168.63.129.16 fd20:ce::254",
		urls.Unspecified: "0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0 64:ff9b::",
		urls.UniqueLocal: "fc00::1 fdff::1 fec0::1",
		urls.CGNAT:       "100.64.0.1 100.127.255.255 ::ffff:100.64.0.1",
		urls.Multicast:   "224.0.0.1 239.255.255.255 ff02::1",
		urls.Reserved: "192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 240.0.0.1 255.255.255.255 2001:db8::1 " +
			"2001::1 100::1",
	} {
		for text := range strings.FieldsSeq(addresses) {
			if got := urls.ClassOf(netip.MustParseAddr(text)); got != class {
				t.Errorf("%s: %s, want %s", text, got, class)
			}
		}
	}
	if got := urls.ClassOf(netip.Addr{}); got != urls.Unresolved {
		t.Errorf("no address: %s", got)
	}
}

func TestClassOfAURL(t *testing.T) {
	for text, want := range map[string]urls.Class{
		"http://localhost/": urls.Loopback, "http://LOCALHOST.:81/": urls.Loopback,
		"http://a.localhost/":              urls.Loopback,
		"http://metadata.google.internal/": urls.CloudMetadata, "http://0xa9fea9fe/": urls.CloudMetadata,
		"http://notlocalhost/": urls.Unresolved, "http://[::ffff:7f00:1]/": urls.Loopback,
		"http://1.1.1.1/": urls.Public,
		"http://0/":       urls.Unspecified, "gopher://x/": urls.Unparseable,
	} {
		u, _ := urls.Parse(text)
		if got := u.Class(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
