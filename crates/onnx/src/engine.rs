//! The process that runs a model: it knows numbers, and nothing of robots.

use std::io::{Read, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rten::{Model, NodeId, Value, ValueOrView};
use rten_onnx::onnx::{GraphProto, ModelProto, TensorProto};
use rten_tensor::{AsView, Layout};

use crate::manifest::{Memory, Number};
use crate::wire::{self, Load, Slot};
use crate::{OnnxError, sandbox};

/// Longest question: a model.
const QUESTION: u64 = 1 << 33;

pub(crate) fn answer(memory_mb: u64, cpu_seconds: u64) -> Result<(), OnnxError> {
    // What is wrong is told in the answer, not on the way there.
    std::panic::set_hook(Box::new(|_| {}));
    // Threads are there before none can be made any more.
    let pool = rten::thread_pool();
    pool.run(|| ());
    sandbox::enter(memory_mb).map_err(OnnxError)?;
    pool.run(|| converse(cpu_seconds)).map_err(|e| OnnxError(e.to_string()))
}

fn converse(cpu_seconds: u64) -> std::io::Result<()> {
    let (mut from, mut to) = (stdin().lock(), stdout().lock());
    let mut question = Vec::new();
    let allow = || sandbox::allow(cpu_seconds).map_err(std::io::Error::other);
    allow()?;
    if !wire::read(&mut from, QUESTION, &mut question)? {
        return Ok(());
    }
    let mut running = match guarded(|| Running::load(std::mem::take(&mut question))) {
        Ok(running) => running,
        Err(e) => return wire::write(&mut to, &[&[wire::FAULT], e.as_bytes()]),
    };
    wire::write(&mut to, &[&[wire::READY]])?;
    listen(&mut from, &mut to, &mut running, allow)
}

fn listen(
    from: &mut impl Read,
    to: &mut impl Write,
    running: &mut Running,
    allow: impl Fn() -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut question = Vec::new();
    while wire::read(from, QUESTION, &mut question)? {
        allow()?;
        match guarded(|| running.act(&question)) {
            Ok(answer) => wire::write(to, &[&[wire::NUMBERS], &answer])?,
            Err(e) => wire::write(to, &[&[wire::FAULT], e.as_bytes()])?,
        }
    }
    Ok(())
}

/// Do something; a panic becomes an error.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(format!("the model breaks its engine: {}", text.unwrap_or_default()))
    })
}

struct Running {
    model: Model,
    inputs: Vec<(NodeId, Slot)>,
    memory: Vec<(NodeId, Memory, Value)>,
    /// The action's output, then those that are remembered.
    outputs: Vec<NodeId>,
    action: String,
}

impl Running {
    fn load(mut question: Vec<u8>) -> Result<Self, String> {
        let cut = || "a question makes no sense".to_owned();
        let length = question.first_chunk::<8>().map(|n| u64::from_le_bytes(*n) as usize);
        let end = length.and_then(|n| n.checked_add(8)).ok_or_else(cut)?;
        let head = question.get(8..end).ok_or_else(cut)?;
        let load: Load = serde_json::from_slice(head).map_err(|e| e.to_string())?;
        question.drain(..end);
        let parsed = ModelProto::parse_buf(&question).map_err(|e| format!("not a model: {e}"))?;
        let graph = parsed.graph.as_ref().ok_or("not a model: it has no graph")?;
        within(graph)?;
        drop(parsed);
        let model = Model::load(question).map_err(|e| format!("the model cannot be used: {e}"))?;
        Self::of(model, load)
    }

    fn of(model: Model, load: Load) -> Result<Self, String> {
        let named = |ids: &[NodeId]| -> Vec<String> {
            let name = |id: &NodeId| Some(model.node_info(*id)?.name()?.to_owned());
            ids.iter().filter_map(name).collect()
        };
        let (ins, outs) = (named(model.input_ids()), named(model.output_ids()));
        let find = |kind: &str, name: &str, among: &[String]| match model.find_node(name) {
            Some(id) if among.iter().any(|n| n == name) => Ok(id),
            _ => Err(format!("the model has no {kind} {name:?}; it has {}", among.join(", "))),
        };
        let mut outputs = vec![find("output", &load.output, &outs)?];
        let mut inputs = Vec::new();
        for slot in load.inputs {
            inputs.push((find("input", &slot.name, &ins)?, slot));
        }
        let mut memory = Vec::new();
        for m in load.memory {
            let empty = zeros(m.number, &m.shape)?;
            outputs.push(find("output", &m.output, &outs)?);
            memory.push((find("input", &m.input, &ins)?, m, empty));
        }
        let fed = |name: &&String| {
            inputs.iter().any(|(_, s)| s.name == **name)
                || memory.iter().any(|(_, m, _)| m.input == **name)
        };
        if let Some(hungry) = ins.iter().find(|n| !fed(n)) {
            return Err(format!("the manifest says nothing of the model's input {hungry:?}"));
        }
        Ok(Self { model, inputs, memory, outputs, action: load.output })
    }

    /// Answer a question: the shape of the action's output and its numbers.
    fn act(&mut self, question: &[u8]) -> Result<Vec<u8>, String> {
        let (how, mut rest) = question.split_first().ok_or("a question makes no sense")?;
        if *how == wire::ASK_FIRST {
            for (_, m, value) in &mut self.memory {
                *value = zeros(m.number, &m.shape)?;
            }
        }
        let mut inputs: Vec<(NodeId, ValueOrView<'_>)> = Vec::new();
        for (id, slot) in &self.inputs {
            let n = slot.shape.iter().product::<usize>() * bytes_of(slot.number);
            let (bytes, after) = rest.split_at_checked(n).ok_or("a question is too short")?;
            rest = after;
            inputs.push((*id, value(slot.number, &slot.shape, bytes)?.into()));
        }
        inputs.extend(self.memory.iter().map(|(id, _, v)| (*id, v.as_view().into())));
        let run = self.model.run(inputs, &self.outputs, None);
        let mut given = run.map_err(|e| format!("the model fails: {e}"))?.into_iter();
        let action = given.next().ok_or("the model gives nothing")?;
        for ((_, m, kept), new) in self.memory.iter_mut().zip(given) {
            if new.dtype() != kept.dtype() || shape_of(&new) != m.shape {
                return Err(format!(
                    "output {:?} has the shape {:?} and its memory {:?}, or another type",
                    m.output,
                    shape_of(&new),
                    m.shape
                ));
            }
            *kept = new;
        }
        told(action, &self.action)
    }
}

fn shape_of(value: &Value) -> Vec<usize> {
    value.shape().to_vec()
}

fn bytes_of(number: Number) -> usize {
    match number {
        Number::U8 => 1,
        Number::F32 | Number::I32 => 4,
    }
}

fn zeros(number: Number, shape: &[usize]) -> Result<Value, String> {
    value(number, shape, &vec![0; shape.iter().product::<usize>() * bytes_of(number)])
}

fn value(number: Number, shape: &[usize], bytes: &[u8]) -> Result<Value, String> {
    let four = || bytes.as_chunks::<4>().0.iter().copied();
    match number {
        Number::F32 => Value::from_shape(shape, four().map(f32::from_le_bytes).collect::<Vec<_>>())
            .map_err(|e| e.to_string()),
        Number::I32 => Value::from_shape(shape, four().map(i32::from_le_bytes).collect::<Vec<_>>())
            .map_err(|e| e.to_string()),
        Number::U8 => Value::from_shape(shape, bytes.to_vec()).map_err(|e| e.to_string()),
    }
}

/// Write down the numbers of the action's output.
fn told(action: Value, name: &str) -> Result<Vec<u8>, String> {
    let shape = shape_of(&action);
    let tensor = action.into_tensor::<f32>();
    let tensor = tensor.ok_or_else(|| format!("output {name:?} is not of type float"))?;
    let numbers: usize = shape.iter().product();
    if numbers as u64 * 4 + 1024 > wire::ANSWER || shape.len() > 64 {
        return Err(format!(
            "output {name:?} has the shape {shape:?}: too much for a chunk of actions"
        ));
    }
    let mut out = vec![shape.len() as u8];
    for axis in &shape {
        out.extend_from_slice(&(*axis as u32).to_le_bytes());
    }
    for v in tensor.iter() {
        out.extend_from_slice(&v.to_le_bytes());
    }
    Ok(out)
}

/// Refuse tensors that lie in files outside the model, in this graph and those within it.
fn within(graph: &GraphProto) -> Result<(), String> {
    graph.initializer.iter().try_for_each(inside)?;
    for attribute in graph.node.iter().flat_map(|n| &n.attribute) {
        attribute.t.iter().try_for_each(inside)?;
        attribute.g.iter().try_for_each(within)?;
    }
    Ok(())
}

fn inside(tensor: &TensorProto) -> Result<(), String> {
    let outside = tensor.data_location.is_some_and(|l| l.0 != 0);
    if !outside && tensor.external_data.is_empty() {
        return Ok(());
    }
    let name = tensor.name.as_deref().unwrap_or_default();
    let location = tensor.external_data.iter().find(|e| e.key.as_deref() == Some("location"));
    let file = location.and_then(|e| e.value.as_deref()).unwrap_or_default();
    Err(format!(
        "tensor {name:?} lies in another file, {file:?}; a model must hold all of its tensors"
    ))
}
