//! One POST over HTTP: whole or streamed, with its time-outs.

use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use tokio::time::timeout;

use super::address::Base;
use super::answer::{Answer, Folding, Shape, understood};
use super::api::{Fold, Reply};
use super::config::{Api, LlmConfig, LlmConfigError};
use super::failure::{CallError, refusal, short};
use super::key::Key;
use super::limits::Limits;
use super::wait::WaitHeaders;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(20);
/// Redirects that are followed.
const REDIRECTS: usize = 3;

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

    /// Sends a body and reads the answer: streamed or whole, whichever the server sends.
    pub(super) async fn post(
        &self,
        body: &Value,
        stream: bool,
        fold: Option<Box<dyn Fold>>,
        read: impl FnOnce(&Value) -> Result<Reply, CallError>,
    ) -> Result<Reply, CallError> {
        let all = Duration::from_secs_f64(self.limits.timeout_s);
        let call = async {
            match fold {
                Some(fold) if stream => self.streamed(body, fold, read).await,
                fold => understood(&Answer::of(self.send(body).await?)?.whole().await?, fold, read),
            }
        };
        let late = |_| CallError::again(format!("no whole answer within {} s", self.limits.timeout_s));
        timeout(all, call).await.map_err(late)?
    }

    /// The answer, once its head is there and good.
    async fn send(&self, body: &Value) -> Result<Response<Incoming>, CallError> {
        let body = Bytes::from(body.to_string());
        let mut uri = self.uri.clone();
        for _ in 0..=REDIRECTS {
            let mut request = Request::post(uri.clone());
            for (name, value) in &self.headers {
                request = request.header(name, value);
            }
            let request = request
                .body(Full::new(body.clone()))
                .map_err(|error| CallError::Never(format!("the request cannot be written: {error}")))?;
            let answer = self.client.request(request).await.map_err(|error| self.unreachable(&error))?;
            let status = answer.status().as_u16();
            match status {
                200..300 => return Ok(answer),
                300..400 => uri = moved(&uri, &answer)?,
                _ => return Err(refused(status, answer).await),
            }
        }
        Err(CallError::Never(format!("{} is moved again and again", self.uri)))
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
        fold: Box<dyn Fold>,
        read: impl FnOnce(&Value) -> Result<Reply, CallError>,
    ) -> Result<Reply, CallError> {
        let first = Duration::from_secs_f64(self.limits.first_byte_s);
        let slow = |_| CallError::again(format!("the answer did not begin within {} s", self.limits.first_byte_s));
        let mut answer = Answer::of(timeout(first, self.send(body)).await.map_err(slow)??)?;
        let (mut seen, mut waits, mut folding) = (Vec::new(), first, Folding::new(fold));
        let end = loop {
            match timeout(waits, answer.next()).await {
                Ok(Ok(Some(bytes))) if folding.began() => folding.push(&bytes)?,
                Ok(Ok(Some(bytes))) => {
                    seen.extend(bytes);
                    match Shape::of(&seen) {
                        // Some servers do not stream what they have at once, such as a cached answer.
                        Some(Shape::Whole) => {
                            seen.extend(answer.whole().await?);
                            return understood(&seen, None, read);
                        }
                        Some(Shape::Events) => folding.push(&std::mem::take(&mut seen))?,
                        None => {}
                    }
                }
                Ok(Ok(None)) => break None,
                Ok(Err(error)) => break Some(error),
                Err(_) => {
                    let why = format!("the stream stood still for {} s", waits.as_secs_f64());
                    break Some(CallError::again(why));
                }
            }
            waits = Duration::from_secs_f64(self.limits.idle_s);
        };
        folding.finish(end)
    }

    /// The key of this endpoint, to keep it out of what is stored.
    pub(super) fn key(&self) -> &Key {
        &self.key
    }
}

async fn refused(status: u16, answer: Response<Incoming>) -> CallError {
    let header = |name: &str| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
    let (after, after_ms, date) = (header("retry-after"), header("retry-after-ms"), header("date"));
    let headers = WaitHeaders { after: after.as_deref(), after_ms: after_ms.as_deref(), date: date.as_deref() };
    let wait = headers.wait(SystemTime::now());
    let bytes = match Answer::of(answer) {
        Ok(answer) => answer.whole().await.unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    refusal(status, wait, &String::from_utf8_lossy(&bytes))
}

/// Where a request is to go instead: only to the same host, because the key goes along, and only where it stays a POST.
fn moved(from: &Uri, answer: &Response<Incoming>) -> Result<Uri, CallError> {
    let status = answer.status().as_u16();
    let place = answer.headers().get("location").and_then(|place| place.to_str().ok()).unwrap_or("nowhere");
    let full = if place.starts_with('/') {
        format!("{}://{}{place}", from.scheme_str().unwrap_or("https"), from.authority().map_or("", |at| at.as_str()))
    } else {
        place.to_owned()
    };
    let to: Option<Uri> = full.parse().ok();
    let is_safer = |to: &Uri| to.scheme_str() == from.scheme_str() || to.scheme_str() == Some("https");
    let is_same = |to: &&Uri| to.host() == from.host() && to.port_u16() == from.port_u16() && is_safer(to);
    match to.as_ref().filter(is_same) {
        Some(to) if matches!(status, 307 | 308) => Ok(to.clone()),
        _ => Err(CallError::Never(format!("status {status}: {from} is moved to {place}: name that as base_url"))),
    }
}

fn address(config: &LlmConfig) -> Result<Uri, LlmConfigError> {
    let home = config.api.home().map(|(home, _)| home).unwrap_or_default();
    let base = config.base_url.as_deref().unwrap_or(home);
    let fault =
        |what: String| LlmConfigError { field: "base_url", what, hint: "such as http://localhost:8080/v1".to_owned() };
    let Some(parts) = Base::parse(base) else { return Err(fault(format!("{base:?} is no http or https address"))) };
    parts.endpoint(config.api).parse().map_err(|error| fault(format!("{base:?}: {error}")))
}

fn headers(api: Api, key: &Key) -> Result<Vec<(HeaderName, HeaderValue)>, LlmConfigError> {
    let agent = concat!("cutpoint/", env!("CARGO_PKG_VERSION"));
    let fixed = [("content-type", "application/json"), ("accept-encoding", "gzip, identity"), ("user-agent", agent)];
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
