package urls

import (
	"net/netip"
	"slices"
	"strings"
)

// Class is the kind of network that an address belongs to.
type Class string

// The classes. All but Public are sensitive: a server there was perhaps never meant
// for the Internet. Unresolved is a name whose address is not known, Unparseable a text that is not a URL.
const (
	Public         Class = "public"
	Loopback       Class = "loopback"
	PrivateNetwork Class = "private_network"
	LinkLocal      Class = "link_local"
	CloudMetadata  Class = "cloud_metadata"
	Unspecified    Class = "unspecified"
	UniqueLocal    Class = "unique_local"
	CGNAT          Class = "cgnat"
	Multicast      Class = "multicast"
	Reserved       Class = "reserved"
	Unresolved     Class = "unresolved"
	Unparseable    Class = "unparseable"
)

// Presets lists the classes that a list of [url_policy] can name, in the order of the
// documentation.
func Presets() []Class {
	return []Class{Loopback, PrivateNetwork, LinkLocal, CloudMetadata, Unspecified, UniqueLocal, CGNAT, Multicast,
		Reserved, Unresolved, Unparseable}
}

// ClassOf returns the class of an address; of an IPv6 address that carries an IPv4
// address (mapped, compatible, translated, NAT64 or 6to4) the class of that one. The zero address is
// Unresolved.
func ClassOf(address netip.Addr) Class {
	if !address.IsValid() {
		return Unresolved
	}
	address = embedded(address.Unmap().WithZone(""))
	for _, network := range networks() {
		if network.prefix.Contains(address) {
			return network.class
		}
	}
	return Public
}

// ClassOfName returns the class that a host name has whatever it resolves to, and
// Unresolved if only its address can tell.
func ClassOfName(name string) Class {
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return Loopback
	case slices.Contains([]string{"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"}, name):
		return CloudMetadata
	}
	return Unresolved
}

// Class returns the class of u as far as its text says: Unresolved for a name whose
// address must be looked up, Unparseable for the zero value.
func (u URL) Class() Class {
	switch {
	case u.IsZero():
		return Unparseable
	case u.address.IsValid():
		return ClassOf(u.address)
	}
	return ClassOfName(u.host)
}

// embedded returns the IPv4 address that an IPv6 address leads to, or the address itself.
func embedded(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	b := address.As16()
	ipv4 := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case within(address, "64:ff9b::/96"), within(address, "::ffff:0:0:0/96"): // NAT64, translated
		return ipv4(12)
	case within(address, "2002::/16"): // 6to4
		return ipv4(2)
	case within(address, "::/96") && !within(address, "::/127"): // IPv4-compatible; not :: and ::1
		return ipv4(12)
	}
	return address
}

func within(address netip.Addr, prefix string) bool {
	return netip.MustParsePrefix(prefix).Contains(address)
}

// network is a part of the address space with its class.
type network struct {
	prefix netip.Prefix
	class  Class
}

// networks lists all networks that are not public. The first that contains an address
// counts.
func networks() (list []network) {
	for _, of := range []struct {
		class    Class
		prefixes string
	}{
		{CloudMetadata, "169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 100.100.100.200/32 168.63.129.16/32 " +
			"192.0.0.192/32 fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128"},
		{Loopback, "127.0.0.0/8 ::1/128"},
		{Unspecified, "0.0.0.0/8 ::/128"},
		{PrivateNetwork, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 64:ff9b:1::/48"},
		{LinkLocal, "169.254.0.0/16 fe80::/10"},
		{UniqueLocal, "fc00::/7 fec0::/10"},
		{CGNAT, "100.64.0.0/10"},
		{Multicast, "224.0.0.0/4 ff00::/8"},
		{Reserved, "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 " +
			"100::/64 2001::/32 2001:2::/48 2001:db8::/32 3fff::/20 5f00::/16"},
	} {
		for text := range strings.FieldsSeq(of.prefixes) {
			list = append(list, network{netip.MustParsePrefix(text), of.class})
		}
	}
	return list
}
