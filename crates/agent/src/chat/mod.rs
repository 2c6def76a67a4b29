//! Models behind an OpenAI-compatible `/v1/chat/completions`, with recorded answers.
//!
//! What a model says is data: it is parsed as the JSON it was asked for, and becomes at most a sentence for the
//! actor. What cannot be asked (nobody there, key refused, quota used up, not on the cassette) stops the run;
//! what is answered badly, late or over budget is the policy's fault and counts.

mod cassette;
mod decompose;
mod endpoint;
mod http;
mod planner;
mod reporter;

use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use longarm_policy::{PolicyError, Unavailable};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use cassette::{Cassette, Recorded, SharedCassette, key};
pub use cassette::{CassetteMode, CassetteSpec};
pub use decompose::{Decomposer, Decomposition, Motion, Refused, Step};
use endpoint::Endpoint;
use http::{Lost, post};
pub(crate) use planner::ChatPlanner;
pub(crate) use reporter::ChatReporter;

/// Largest answer that is taken, bytes.
const MOST: usize = 4 << 20;
/// Waits between attempts begin with this and double, seconds.
const WAIT: f64 = 0.25;

/// How a server is asked for JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schema {
    /// A schema that answers must follow, as OpenAI nests it.
    #[default]
    Strict,
    /// A schema beside the type of any JSON: llama-cpp-python's server.
    Flat,
    /// Any JSON.
    Object,
    /// Nothing is said; the prompt asks for it.
    None,
}

/// What an episode may cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Questions.
    #[serde(default = "calls")]
    pub calls: u32,
    /// Tokens, as far as the server says.
    #[serde(default = "tokens")]
    pub tokens: u64,
    /// Money, by the price of the endpoint in the user's own list; as much as it takes without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
}

fn calls() -> u32 {
    1_000
}

fn tokens() -> u64 {
    5_000_000
}

impl Default for Budget {
    fn default() -> Self {
        Self { calls: calls(), tokens: tokens(), money: None }
    }
}

/// A model and how it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChatSpec {
    /// `http://HOST:PORT/v1` or `https://HOST/v1`, or a name in the user's own list of endpoints, which alone has keys.
    pub endpoint: String,
    /// Model; that of the endpoint in the user's list without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// File of the prompt, beside the agent's file or below it; one of ours without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PathBuf>,
    /// The prompt's text, once it was read.
    #[serde(skip)]
    pub prompt_text: Option<String>,
    /// Cameras whose pictures are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cameras: Vec<String>,
    /// How JSON is asked for.
    #[serde(default)]
    pub schema: Schema,
    /// Most tokens of an answer.
    #[serde(default = "answer")]
    pub max_tokens: u32,
    /// The name that this limit has: `max_tokens`, or `max_completion_tokens` for models that think.
    #[serde(default = "limit", skip_serializing_if = "is_limit")]
    pub limit: String,
    /// Seconds within which an answer must come, attempts included.
    #[serde(default = "deadline")]
    pub deadline: u32,
    /// What an episode may cost.
    #[serde(default)]
    pub budget: Budget,
    /// Where answers are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cassette: Option<CassetteSpec>,
}

fn answer() -> u32 {
    512
}

fn limit() -> String {
    "max_tokens".into()
}

fn is_limit(name: &str) -> bool {
    name == limit()
}

fn deadline() -> u32 {
    60
}

/// Asks one model.
#[derive(Debug)]
pub(crate) struct Client {
    spec: ChatSpec,
    /// Not there where nobody is asked.
    endpoint: Option<Endpoint>,
    model: String,
    cassette: Option<SharedCassette>,
    spent: Expense,
    /// The last answer, word by word.
    said: String,
}

/// What was spent in an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expense {
    /// Questions.
    pub calls: u32,
    /// Tokens, as far as the server says.
    pub tokens: u64,
    /// Money, where the endpoint has a price.
    pub money: f64,
}

impl Expense {
    /// Add what another part spent.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            tokens: self.tokens + other.tokens,
            money: self.money + other.money,
        }
    }
}

/// A question: text, pictures as PNG, and the schema of the answer.
pub(crate) struct Ask<'a> {
    pub system: &'a str,
    pub text: &'a str,
    pub pictures: &'a [Vec<u8>],
    pub schema: Value,
}

impl Client {
    pub(crate) fn new(spec: &ChatSpec) -> Result<Self, String> {
        let replays = spec.cassette.as_ref().is_some_and(|c| c.mode == CassetteMode::Replay);
        let endpoint = match (replays, &spec.model) {
            (true, Some(_)) => None,
            _ => Some(Endpoint::named(&spec.endpoint)?),
        };
        let model = spec.model.clone().or_else(|| endpoint.as_ref()?.model.clone());
        let model = model.ok_or_else(|| {
            format!("which model? Neither the agent nor the endpoint {:?} names one", spec.endpoint)
        })?;
        let priced = endpoint.as_ref().is_none_or(|e| e.price.is_some());
        if let Some(most) = spec.budget.money {
            if !(most > 0.0 && most.is_finite()) {
                return Err(format!("budget.money is {most}; it must be above 0"));
            }
            if !priced {
                return Err(format!(
                    "budget.money needs to know what tokens cost: write price = {{ input = …, output = … }}, for a \
                     million of them, to the endpoint {:?} in your own list",
                    spec.endpoint
                ));
            }
        }
        Ok(Self {
            endpoint: endpoint.filter(|_| !replays),
            model,
            cassette: spec.cassette.as_ref().map(Cassette::open).transpose()?,
            spec: spec.clone(),
            spent: Expense::default(),
            said: String::new(),
        })
    }

    /// A new episode begins, with all of its budget.
    pub(crate) fn begin(&mut self) {
        self.spent = Expense::default();
    }

    /// What was spent in this episode.
    pub(crate) fn spent(&self) -> Expense {
        self.spent
    }

    /// Take the last answer, word by word.
    pub(crate) fn take_said(&mut self) -> String {
        std::mem::take(&mut self.said)
    }

    /// The request with pictures as `picture` writes them.
    fn request(&self, ask: &Ask<'_>, picture: impl Fn(&[u8]) -> String) -> Value {
        let shown =
            |png: &Vec<u8>| json!({"type": "image_url", "image_url": {"url": picture(png)}});
        // Servers of models without eyes take text, and not all of them parts of text.
        let content = match ask.pictures {
            [] => json!(ask.text),
            pictures => {
                let text = json!({"type": "text", "text": ask.text});
                [text].into_iter().chain(pictures.iter().map(shown)).collect()
            }
        };
        let mut request = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": ask.system},
                {"role": "user", "content": content},
            ],
            self.spec.limit.as_str(): self.spec.max_tokens,
        });
        let format = match self.spec.schema {
            Schema::Strict => json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": true, "schema": ask.schema},
            }),
            Schema::Flat => json!({"type": "json_object", "schema": ask.schema}),
            Schema::Object => json!({"type": "json_object"}),
            Schema::None => return request,
        };
        request["response_format"] = format;
        request
    }

    /// Ask, and return the JSON of the answer.
    pub(crate) fn ask(&mut self, ask: &Ask<'_>) -> Result<Value, PolicyError> {
        let (budget, Expense { calls, tokens, money }) = (self.spec.budget, self.spent);
        let poor = budget.money.is_some_and(|most| money >= most);
        if calls >= budget.calls || tokens >= budget.tokens || poor {
            let paid = if poor { format!(" for {money:.4}") } else { String::new() };
            return Err(PolicyError::Fault(format!(
                "over budget: {calls} calls and {tokens} tokens{paid} in this episode"
            )));
        }
        let hashed = |png: &[u8]| format!("blake3:{}", blake3::hash(png).to_hex());
        let canonical = self.request(ask, hashed);
        let key = key(&canonical);
        let answer = match self.recorded(&key) {
            Some(answer) => answer,
            None => {
                let Some(endpoint) = &self.endpoint else {
                    let why = format!("the cassette has no answer to request {}", &key[..12]);
                    return Err(Unavailable::for_good(why).into());
                };
                let url = |png: &[u8]| {
                    let data = data_encoding::BASE64.encode(png);
                    format!("data:image/png;base64,{data}")
                };
                let body = self.request(ask, url).to_string();
                let (text, used) = self.fetch(endpoint, body.as_bytes())?;
                let cost = endpoint.price.map(|p| p.of(used.asked, used.answered));
                let entry = Recorded { key, request: canonical, text, tokens: used.all, cost };
                self.keep(entry)?
            }
        };
        let money = answer.cost.unwrap_or(0.0);
        self.spent = self.spent.and(Expense { calls: 1, tokens: answer.tokens, money });
        self.said.clone_from(&answer.text);
        read(&answer.text).ok_or_else(|| {
            let said: String = answer.text.chars().take(200).collect();
            PolicyError::Fault(format!("the model did not answer with JSON: {said:?}"))
        })
    }

    fn recorded(&self, key: &str) -> Option<Recorded> {
        let cassette = self.cassette.as_ref()?;
        cassette.lock().unwrap_or_else(PoisonError::into_inner).get(key)
    }

    fn keep(&self, entry: Recorded) -> Result<Recorded, PolicyError> {
        let Some(cassette) = &self.cassette else { return Ok(entry) };
        let mut cassette = cassette.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(cassette.keep(entry).map_err(Unavailable::for_good)?)
    }

    /// Ask the server, again where it asks for that, until the deadline.
    fn fetch(&self, endpoint: &Endpoint, body: &[u8]) -> Result<(String, Usage), PolicyError> {
        let until = Instant::now() + Duration::from_secs(self.spec.deadline.into());
        let authorization = endpoint.authorization();
        let headers: Vec<(&str, &str)> =
            authorization.iter().map(|a| ("Authorization", a.as_str())).collect();
        let away = |why: String| PolicyError::from(Unavailable::for_good(endpoint.redact(&why)));
        let fault = |why: String| PolicyError::Fault(endpoint.redact(&why));
        let mut wait = WAIT;
        loop {
            let at = (&endpoint.url, endpoint.trust());
            let asked = post(at, "/chat/completions", &headers, body, until, MOST);
            let (why, pause) = match asked {
                Ok(reply) if reply.status == 200 => {
                    let (text, used) = answer_of(&reply.body).map_err(fault)?;
                    return Ok((endpoint.redact(&text), used));
                }
                Ok(reply) => {
                    let body = endpoint.redact(&String::from_utf8_lossy(&reply.body));
                    let said: String = body.chars().take(300).collect();
                    let why = format!("the server answered {}: {said}", reply.status);
                    let again = matches!(reply.status, 408 | 409 | 429 | 500..=599);
                    if !again || said.contains("insufficient_quota") {
                        return Err(match reply.status {
                            401..=403 | 429 => away(why),
                            300..=399 => away(format!("{why}; redirects are not followed")),
                            _ => fault(why),
                        });
                    }
                    (why, reply.retry_after.unwrap_or(wait))
                }
                Err(Lost::Unreachable(why)) => (why, wait),
                Err(Lost::Refused(why)) => return Err(away(why)),
                Err(Lost::Late) => {
                    return Err(fault(format!("no answer within {} s", self.spec.deadline)));
                }
                Err(Lost::Garbled(why)) => return Err(fault(why)),
            };
            let pause = Duration::from_secs_f64(pause.clamp(0.0, 3600.0));
            if Instant::now() + pause >= until {
                return Err(away(why));
            }
            std::thread::sleep(pause);
            wait = (2.0 * wait).min(8.0);
        }
    }
}

/// Tokens that an answer took, as far as the server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Usage {
    asked: u64,
    answered: u64,
    all: u64,
}

/// The text and the tokens of an answer.
fn answer_of(body: &[u8]) -> Result<(String, Usage), String> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|e| format!("the server's answer is not JSON: {e}"))?;
    let text = value["choices"][0]["message"]["content"].as_str();
    let text = text.ok_or("the server's answer has no choices[0].message.content")?;
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    let (asked, answered) = (count("prompt_tokens"), count("completion_tokens"));
    let all = count("total_tokens").max(asked.saturating_add(answered));
    Ok((text.to_owned(), Usage { asked, answered, all }))
}

/// Read the JSON object of an answer: alone, behind thoughts, in a fence, or in the midst of prose.
fn read(text: &str) -> Option<Value> {
    let text = text.rsplit_once("</think>").map_or(text, |(_, rest)| rest).trim();
    let object = |t: &str| serde_json::from_str::<Value>(t.trim()).ok().filter(Value::is_object);
    object(text).or_else(|| {
        let (from, to) = (text.find('{')?, text.rfind('}')?);
        object(text.get(from..=to)?)
    })
}

#[cfg(test)]
mod tests;
