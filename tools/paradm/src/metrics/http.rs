// SPDX-License-Identifier: GPL-2.0
//! The answer to an HTTP request for metrics: enough of HTTP/1.1 (RFC 9112) for Prometheus and curl.

use crate::error::Result;

/// To a request's head; `metrics` is only called for what is to be had.
pub fn answer(head: &str, metrics: impl FnOnce() -> Result<String>) -> String {
    let line = head.split("\r\n").next().unwrap_or_default();
    let words: Vec<_> = line.split(' ').collect();
    let [method, target, version] = words.as_slice() else {
        return plain("400 Bad Request", "", "this is no HTTP request\n", true);
    };
    if !version.starts_with("HTTP/1.") {
        return plain("505 HTTP Version Not Supported", "", "HTTP/1.1 is\n", true);
    }
    let body = *method != "HEAD";
    if !matches!(*method, "GET" | "HEAD") {
        let allow = "Allow: GET, HEAD\r\n";
        return plain(
            "405 Method Not Allowed",
            allow,
            "GET and HEAD are allowed\n",
            body,
        );
    }
    let path = target.split('?').next().unwrap_or_default();
    if path != "/metrics" {
        return plain("404 Not Found", "", "the metrics are at /metrics\n", body);
    }
    match metrics() {
        Ok(text) => response(
            "200 OK",
            "",
            "text/plain; version=0.0.4; charset=utf-8",
            &text,
            body,
        ),
        Err(error) => plain("500 Internal Server Error", "", &format!("{error}\n"), body),
    }
}

fn plain(status: &str, more: &str, text: &str, body: bool) -> String {
    response(status, more, "text/plain; charset=utf-8", text, body)
}

fn response(status: &str, more: &str, kind: &str, text: &str, body: bool) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{more}Content-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        text.len(),
        if body { text } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    fn status(head: &str) -> String {
        let answer = answer(head, || Ok("metric 1\n".to_owned()));
        answer.split("\r\n").next().unwrap().to_owned()
    }

    #[test]
    fn metrics_are_had_by_get_and_head() {
        let got = answer("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", || {
            Ok("metric 1\n".to_owned())
        });
        assert!(got.starts_with("HTTP/1.1 200 OK\r\n"), "{got}");
        assert!(
            got.ends_with("Content-Length: 9\r\nConnection: close\r\n\r\nmetric 1\n"),
            "{got}"
        );
        let got = answer("HEAD /metrics HTTP/1.1\r\n\r\n", || {
            Ok("metric 1\n".to_owned())
        });
        assert!(
            got.ends_with("Content-Length: 9\r\nConnection: close\r\n\r\n"),
            "{got}"
        );
        assert_eq!(
            status("GET /metrics?x=1 HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK"
        );
        let failed = answer("GET /metrics HTTP/1.1\r\n\r\n", || {
            Err(Error::NotFound("no".to_owned()))
        });
        assert!(failed.starts_with("HTTP/1.1 500 ") && failed.ends_with("\r\n\r\nno\n"));
    }

    #[test]
    fn anything_else_is_refused_as_http_has_it() {
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found");
        assert_eq!(
            status("POST /metrics HTTP/1.1\r\n\r\n"),
            "HTTP/1.1 405 Method Not Allowed"
        );
        assert_eq!(
            status("GET /metrics HTTP/2\r\n\r\n"),
            "HTTP/1.1 505 HTTP Version Not Supported"
        );
        for head in ["", "\r\n\r\n", "GET", "GET /metrics", "GET /a b HTTP/1.1"] {
            assert_eq!(status(head), "HTTP/1.1 400 Bad Request", "{head}");
        }
    }

    proptest! {
        #[test]
        fn any_request_is_answered(head in "(?s).*|(GET|HEAD|X) /(metrics)?[ -~]{0,9} HTTP/1.1\r\n") {
            let got = answer(&head, || Ok("metric 1\n".to_owned()));
            prop_assert!(got.starts_with("HTTP/1.1 ") && got.contains("\r\n\r\n"));
        }
    }
}
