package fetch_test

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

func TestWhatTheModelIsShown(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, contentType := "", "text/plain"
		switch r.URL.Path {
		case "/page":
			contentType = "text/html; charset=utf-8"
			body = "<title>A page</title><h1>Hi</h1><p>See <a href=/x>this</a>."
		case "/json":
			contentType, body = "application/json", `{"a": "<b>"}`
		case "/terminal":
			body = "red \x1b[31m\u202e.\r\nnext"
		case "/latin":
			contentType, body = "text/html; charset=ISO-8859-1", "caf\xe9 \x80"
		case "/meta":
			contentType, body = "text/html", "<meta charset='windows-1252'><p>\x93caf\xe9\x94"
		case "/wrong":
			contentType, body = "text/html; charset=latin1", "café"
		case "/utf16":
			body = "\xff\xfeh\x00i\x00"
		case "/invalid":
			body = "a\xff\xfeb"
		case "/none":
			w.Header()["Content-Type"] = nil
			fmt.Fprint(w, "<html><p>x")
			return
		case "/image":
			contentType, body = "image/png", "\x89PNG\x00"
		case "/zip":
			contentType, body = "application/zip", "PK\x03\x04\x00"
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	})
	u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
	base := "http://127.0.0.1:" + port
	for path, want := range map[string]string{
		"/page":     "200 OK, text/html, 59 bytes\ntitle: A page\n\n# Hi\n\nSee [this](" + base + "/x).\n",
		"/json":     "200 OK, application/json, 12 bytes\n\n{\"a\": \"<b>\"}\n",
		"/terminal": "200 OK, text/plain, 19 bytes\n\nred [31m.\nnext\n",
		"/latin":    "200 OK, text/html, 6 bytes\nnote: converted from iso-8859-1\n\ncafé €\n",
		"/meta":     "200 OK, text/html, 38 bytes\nnote: converted from windows-1252\n\n“café”\n",
		"/wrong":    "200 OK, text/html, 5 bytes\n\ncafé\n",
		"/utf16":    "200 OK, text/plain, 6 bytes\nnote: converted from utf-16le\n\nhi\n",
		"/invalid": "200 OK, text/plain, 4 bytes\nnote: U+FFFD stands for bytes that are not UTF-8: " +
			"2 bytes\n\na\uFFFDb\n",
		"/none": "200 OK, text/html, 10 bytes\n\nx\n",
		"/image": "200 OK, image/png, 5 bytes\nnote: this is not text; format raw returns it, as far as it " +
			"is UTF-8\n",
		"/zip": "200 OK, application/zip, 5 bytes\nnote: this is not text; format raw returns it, as far " +
			"as it is UTF-8\n",
		"/empty": "204 No Content, no content\n",
	} {
		if got := u.get(t, base+path); got.Failed || got.Text != base+path+"\n"+want {
			t.Errorf("%s: %v\n got %q\nwant %q", path, got.Failed, got.Text, base+path+"\n"+want)
		}
	}
	raw := u.fetch(t, `{"url": "`+base+`/page", "format": "raw"}`)
	if !strings.HasSuffix(raw.Text, "\n\n<title>A page</title><h1>Hi</h1><p>See <a href=/x>this</a>.\n") {
		t.Errorf("raw: %q", raw.Text)
	}
	raw = u.fetch(t, `{"url": "`+base+`/image", "format": "raw"}`)
	if !strings.HasSuffix(raw.Text, "\nnote: U+FFFD stands for bytes that are not UTF-8: 1 byte\n\n\uFFFDPNG\x00\n") {
		t.Errorf("raw image: %q", raw.Text)
	}
}

func TestAnAnswerThatIsNone(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		if code != http.StatusNotModified {
			fmt.Fprint(w, "<h1>Sorry</h1>"+strings.Repeat("long ", 1000))
		}
	})
	u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
	base := "http://127.0.0.1:" + port
	for path, want := range map[string]string{
		"/404": "Error: " + base + "/404: 404 Not Found\n# Sorry\n\nlong long",
		"/500": "Error: " + base + "/500: 500 Internal Server Error\n# Sorry",
		"/304": "Error: " + base + "/304: 304 Not Modified",
		"/302": "Error: " + base + "/302: 302 Found\n# Sorry", // without a Location
		"/799": "Error: " + base + "/799: 799\n# Sorry",
	} {
		if got := u.get(t, base+path); !got.Failed || !strings.HasPrefix(got.Text, want) || len(got.Text) > 3000 {
			t.Errorf("%s: %v %.200q, want %q", path, got.Failed, got.Text, want)
		}
	}
}

func TestBoundsOfABody(t *testing.T) {
	endless := make(chan struct{})
	defer close(endless)
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		flusher := w.(http.Flusher)
		switch r.URL.Path {
		case "/long":
			fmt.Fprint(w, strings.Repeat("é", 100))
		case "/stream":
			for range 100 {
				fmt.Fprint(w, "é")
				flusher.Flush()
			}
		case "/endless":
			fmt.Fprint(w, "beginning")
			flusher.Flush()
			<-endless
		case "/silent":
			<-endless
		case "/broken":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "beginning")
			flusher.Flush()
			panic(http.ErrAbortHandler)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.Copy(z, io.LimitReader(zeros{}, 1<<30)) // until the connection is closed
		case "/notgzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "this is no gzip")
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 300<<10))
		}
	})
	u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
	base := "http://127.0.0.1:" + port
	for _, test := range []struct{ path, arguments, want string }{
		{"/long", `"max_bytes": 199`, "Error: " + base + "/long has 200 bytes, more than max_bytes allows, " +
			"which is 199 bytes; at " +
			"most 8,388,608 bytes can be allowed"},
		{"/long", `"max_bytes": 200`, base + "/long\n200 OK, text/plain, 200 bytes\n\n" + strings.Repeat("é",
			100) + "\n"},
		{"/stream", `"max_bytes": 11`, base + "/stream\n200 OK, text/plain, 11 bytes\nnote: only the first 11 " +
			"bytes were read; " +
			"max_bytes can be up to 8,388,608 bytes\n\nééééé\n"},
		{"/endless", `"timeout_secs": 3`, base + "/endless\n200 OK, text/plain, 9 bytes\nnote: the time limit " +
			"of 3s was reached; " +
			"this is what had come\n\nbeginning\n"},
		{"/silent", `"timeout_secs": 1`, "Error: " + base + "/silent: no answer within 1s"},
		{"/broken", `"format": "text"`, base + "/broken\n200 OK, text/plain, 9 bytes\nnote: the rest is " +
			"missing: unexpected EOF\n\n" +
			"beginning\n"},
		{"/bomb", `"max_bytes": 1000`, base + "/bomb\n200 OK, text/plain, 1,000 bytes\nnote: only the first " +
			"1,000 bytes were read; " +
			"max_bytes can be up to 8,388,608 bytes\n\n" + strings.Repeat("0", 1000) + "\n"},
		{"/notgzip", `"format": "raw"`, "Error: reading " + base + "/notgzip: gzip: invalid header"},
		{"/brotli", `"format": "raw"`, "Error: " + base + "/brotli is compressed with \"br\", which was not " +
			"asked for and cannot be read"},
		{"/headers", `"format": "raw"`, "Error: fetching " + base + "/headers: net/http: HTTP/1.x transport " +
			"connection broken: net/http: server response " +
			"headers exceeded 262144 " +
			"bytes; aborted"},
	} {
		got := u.fetch(t, `{"url": "`+base+test.path+`", `+test.arguments+`}`)
		if got.Text != test.want || got.Failed != strings.HasPrefix(test.want, "Error") {
			t.Errorf("%s: %v\n got %.300q\nwant %.300q", test.path, got.Failed, got.Text, test.want)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("0"), len(p))), nil }

func TestWhatIsSent(t *testing.T) {
	requests := make(chan *http.Request, 2)
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		w.Header().Set("Set-Cookie", "a=b")
		if r.URL.Path == "/" {
			w.Header().Set("Location", "/x?y=%41#z")
			w.WriteHeader(http.StatusFound)
		}
	})
	u := setUp(t, fetch.Config{Version: "1.2"}, "http://127.0.0.1:*")
	u.get(t, "http://0x7f.1:"+port)
	<-requests
	sent := <-requests
	want := http.Header{"User-Agent": {"chibi/1.2"}, "Accept-Encoding": {"gzip"},
		"Accept": {"text/markdown, text/html;q=0.9, text/plain;q=0.9, */*;q=0.5"}}
	if fmt.Sprint(sent.Header) != fmt.Sprint(want) || sent.Method != "GET" || sent.RequestURI != "/x?y=A" ||
		sent.Host != "127.0.0.1:"+port {
		t.Errorf("%s %s to %s with %v", sent.Method, sent.RequestURI, sent.Host, sent.Header)
	}
}

func TestTLSAndHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprint(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	if got := setUp(t, fetch.Config{Roots: roots}, "https://127.0.0.1:*").get(t,
		server.URL); !strings.Contains(got.Text, "HTTP/2.0") {
		t.Errorf("%q", got.Text)
	}
	got := setUp(t, fetch.Config{}, "https://127.0.0.1:*").get(t, server.URL)
	if !got.Failed || !strings.Contains(got.Text, "certificate signed by unknown authority") {
		t.Errorf("%q", got.Text)
	}
}

func TestArgumentsThatAreWrong(t *testing.T) {
	u := setUp(t, fetch.Config{}, "*")
	for arguments, want := range map[string]string{
		`{}`:                            "Error: url: the URL has no scheme; it must begin with https:// or http://",
		`{"url": "file:///etc/passwd"}`: `Error: url: the scheme "file" is not supported; only http and https are`,
		`{"url": "http://me:key@127.0.0.1/"}`: "Error: url: the URL has a user name or password; " +
			"these are not sent",
		`{"url": "http://127.0.0.1/", "max_bytes": 0}`: "Error: max_bytes is 0; want a number from 1 to 8388608",
		`{"url": "http://127.0.0.1/", "timeout_secs": 9999}`: "Error: timeout_secs is 9999; want a number from " +
			"1 to 600",
		`{"url": "http://127.0.0.1/", "format": "pdf"}`: `Error: format is "pdf"; want "text" or "raw"`,
	} {
		if got := u.fetch(t, arguments); !got.Failed || got.Text != want {
			t.Errorf("%s: %q, want %q", arguments, got.Text, want)
		}
	}
	if got := u.fetch(t, `{"url": "http://127.0.0.1/", "body": "x"}`); !strings.Contains(got.Text, `"body"`) {
		t.Errorf("%q", got.Text)
	}
}

func TestTheToolDescribesItself(t *testing.T) {
	spec := fetch.New(fetch.Config{}).Spec()
	schema, err := tools.Compile(spec.Parameters)
	if err != nil || spec.Category != tools.CategoryFetch || spec.Subject != "url" || !spec.Parallel ||
		spec.Kind != tools.Coding {
		t.Errorf("%+v %v", spec, err)
	}
	if err := schema.Check([]byte(`{"url": "x", "max_bytes": 1, "timeout_secs": 600, "format": "raw"}`)); err != nil {
		t.Error(err)
	}
	if schema.Check([]byte(`{}`)) == nil || schema.Check([]byte(`{"url": "x", "format": "pdf"}`)) == nil {
		t.Error("the schema takes wrong arguments")
	}
}
