//! One POST over HTTP: whole or streamed, with its time-outs.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use tokio::time::timeout;

use super::api::{Fold, Reply, data, malformed};
use super::config::{Api, LlmConfig, LlmConfigError};
use super::failure::{CallError, refusal, retry_after, short};
use super::key::Key;
use super::limits::Limits;
use super::sse::Events;

/// Longest whole answer, in bytes: an endless one shall not fill the memory.
const LARGEST: usize = 64 << 20;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(20);

/// An endpoint. Connections are kept and shared.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    headers: Vec<(HeaderName, HeaderValue)>,
    key: Key,
    limits: Limits,
}

impl Endpoint {
    /// The endpoint of a configuration. Nothing is sent yet.
    pub(super) fn new(config: &LlmConfig) -> Result<Self, LlmConfigError> {
        let uri = address(config)?;
        let key = Key::read(config)?;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(config.limits.concurrency)
            .build(tls);
        let headers = headers(config.api, &key)?;
        Ok(Self { client, uri, headers, key, limits: config.limits })
    }

    /// Sends a body and reads the answer; with `fold` it is streamed.
    pub(super) async fn post(
        &self,
        body: &Value,
        fold: Option<Box<dyn Fold>>,
        read: impl FnOnce(&Value) -> Result<Reply, CallError>,
    ) -> Result<Reply, CallError> {
        let all = Duration::from_secs_f64(self.limits.timeout_s);
        let call = async {
            match fold {
                Some(fold) => self.streamed(body, fold, read).await,
                None => read(&parsed(self.send(body).await?).await?),
            }
        };
        let late = |_| CallError::again(format!("no whole answer within {} s", self.limits.timeout_s));
        timeout(all, call).await.map_err(late)?.map_err(|error| self.redacted(error))
    }

    /// Servers like to quote the key they refuse.
    fn redacted(&self, error: CallError) -> CallError {
        match error {
            CallError::Again { why, after } => CallError::Again { why: self.key.redact(&why), after },
            CallError::Never(why) => CallError::Never(self.key.redact(&why)),
            CallError::Answer(answer) => CallError::Answer(answer),
        }
    }

    /// The answer, once its head is there and good.
    async fn send(&self, body: &Value) -> Result<Response<Incoming>, CallError> {
        let mut request = Request::post(self.uri.clone());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(Bytes::from(body.to_string())))
            .map_err(|error| CallError::Never(format!("the request cannot be written: {error}")))?;
        let answer = self.client.request(request).await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        if (200..300).contains(&status) {
            return Ok(answer);
        }
        let header = |name: &str| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        let after = retry_after(header("retry-after").as_deref(), header("retry-after-ms").as_deref());
        let bytes = whole(answer).await.unwrap_or_default();
        Err(refusal(status, after, &String::from_utf8_lossy(&bytes)))
    }

    fn unreachable(&self, error: &hyper_util::client::legacy::Error) -> CallError {
        let mut why = format!("{} does not answer", self.uri);
        let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
        while let Some(error) = cause {
            why.push_str(&format!(": {error}"));
            cause = error.source();
        }
        CallError::again(why)
    }

    async fn streamed(
        &self,
        body: &Value,
        mut fold: Box<dyn Fold>,
        read: impl FnOnce(&Value) -> Result<Reply, CallError>,
    ) -> Result<Reply, CallError> {
        let first = Duration::from_secs_f64(self.limits.first_byte_s);
        let slow = |_| CallError::again(format!("the answer did not begin within {} s", self.limits.first_byte_s));
        let answer = timeout(first, self.send(body)).await.map_err(slow)??;
        if is_json(&answer) {
            // Some servers do not stream what they have at once, such as a cached answer.
            return read(&parsed(answer).await?);
        }
        let mut answer = answer.into_body();
        let mut events = Events::default();
        let (mut is_whole, mut waits, mut end) = (false, first, Ok(()));
        loop {
            let bytes = match timeout(waits, answer.frame()).await {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(None) => break,
                Ok(Some(Err(error))) => {
                    end = Err(CallError::again(format!("the stream broke off: {error}")));
                    break;
                }
                Err(_) => {
                    end = Err(CallError::again(format!("the stream stood still for {} s", waits.as_secs_f64())));
                    break;
                }
            };
            waits = Duration::from_secs_f64(self.limits.idle_s);
            for event in events.push(&bytes) {
                is_whole |= take(&mut *fold, &event)?;
            }
        }
        for event in events.finish() {
            is_whole |= take(&mut *fold, &event)?;
        }
        // What came after the whole answer does not matter.
        if !is_whole {
            end?;
            return Err(CallError::again("the stream ended before the answer was whole"));
        }
        fold.reply()
    }

    /// The key of this endpoint, to keep it out of what is stored.
    pub(super) fn key(&self) -> &Key {
        &self.key
    }
}

fn take(fold: &mut dyn Fold, event: &super::sse::Event) -> Result<bool, CallError> {
    match data(event)? {
        Some(value) => fold.push(&value),
        None => Ok(false),
    }
}

fn is_json(answer: &Response<Incoming>) -> bool {
    let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

async fn parsed(answer: Response<Incoming>) -> Result<Value, CallError> {
    serde_json::from_slice(&whole(answer).await?).map_err(|error| malformed(&error))
}

async fn whole(answer: Response<Incoming>) -> Result<Vec<u8>, CallError> {
    let mut body = answer.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| CallError::again(format!("the answer broke off: {error}")))?;
        bytes.extend_from_slice(&frame.into_data().unwrap_or_default());
        if bytes.len() > LARGEST {
            return Err(CallError::again(format!("the answer is larger than {LARGEST} bytes")));
        }
    }
    Ok(bytes)
}

fn address(config: &LlmConfig) -> Result<Uri, LlmConfigError> {
    let home = config.api.home().map(|(home, _)| home).unwrap_or_default();
    let base = config.base_url.as_deref().unwrap_or(home).trim_end_matches('/');
    let fault =
        |what: String| LlmConfigError { field: "base_url", what, hint: "such as http://localhost:8080/v1".to_owned() };
    let host = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
    let Some(host) = host.filter(|host| !host.is_empty()) else {
        return Err(fault(format!("{base:?} is no http or https address")));
    };
    let version = if host.contains('/') { "" } else { "/v1" };
    format!("{base}{version}{}", config.api.path()).parse().map_err(|error| fault(format!("{base:?}: {error}")))
}

fn headers(api: Api, key: &Key) -> Result<Vec<(HeaderName, HeaderValue)>, LlmConfigError> {
    let fixed = [("content-type", "application/json"), ("user-agent", concat!("cutpoint/", env!("CARGO_PKG_VERSION")))];
    let fixed = fixed.map(|(name, value)| (name, value.to_owned()));
    let named = fixed.into_iter().chain(api.headers(key.get()));
    named
        .map(|(name, value)| {
            let mut value = HeaderValue::from_str(&value).map_err(|_| LlmConfigError {
                field: "key_env",
                what: "the key has characters that a header cannot hold".to_owned(),
                hint: short("check the variable for line breaks"),
            })?;
            value.set_sensitive(matches!(name, "authorization" | "x-api-key"));
            Ok((HeaderName::from_static(name), value))
        })
        .collect()
}
