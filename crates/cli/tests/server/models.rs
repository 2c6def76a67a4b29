//! Tiny models, made here.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataLocation, DataType, Dimension, GraphProto, ModelProto,
    NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto,
    TypeProto, TypeProtoTensor, ValueInfoProto,
};

/// Numbers of an action, and actions of a chunk.
const DIM: usize = 7;
const CHUNK: usize = 50;

fn text(s: &str) -> Option<String> {
    Some(s.to_owned())
}

fn floats(name: &str, dims: &[i64], values: &[f32]) -> TensorProto {
    let raw = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    TensorProto {
        dims: dims.to_vec(),
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new(raw)),
        name: text(name),
        ..TensorProto::default()
    }
}

fn integers(name: &str, dims: &[i64], values: &[i64]) -> TensorProto {
    let raw = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    TensorProto {
        dims: dims.to_vec(),
        data_type: Some(DataType::INT64),
        raw_data: Some(RefCell::new(raw)),
        name: text(name),
        ..TensorProto::default()
    }
}

fn node(kind: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        name: text(output),
        op_type: text(kind),
        input: inputs.iter().map(|s| (*s).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn value(name: &str, number: DataType, dims: &[i64]) -> ValueInfoProto {
    let dim = |d: &i64| Dimension { dim_value: Some(*d), ..Dimension::default() };
    let shape = TensorShapeProto { dim: dims.iter().map(dim).collect() };
    let tensor = TypeProtoTensor { elem_type: Some(number), shape: Some(shape) };
    let kind = TypeProto { tensor_type: Some(tensor), sequence: None };
    ValueInfoProto { name: text(name), r#type: Some(kind) }
}

/// Actions that follow from the tool's pose, and drift with how often it was asked.
fn mover() -> GraphProto {
    let wide = DIM * CHUNK;
    let weights: Vec<f32> = (0..7 * wide).map(|i| ((i * 37 % 101) as f32 - 50.0) / 100.0).collect();
    GraphProto {
        node: vec![
            node("MatMul", &["pose", "weights"], "flat"),
            node("Add", &["count", "one"], "counted"),
            node("Add", &["flat", "counted"], "sum"),
            node("Tanh", &["sum"], "bounded"),
            node("Reshape", &["bounded", "shape"], "actions"),
        ],
        initializer: vec![
            floats("weights", &[7, wide as i64], &weights),
            floats("one", &[1, 1], &[0.05]),
            integers("shape", &[2], &[CHUNK as i64, DIM as i64]),
        ],
        input: vec![
            value("pose", DataType::FLOAT, &[1, 7]),
            value("count", DataType::FLOAT, &[1, 1]),
        ],
        output: vec![
            value("actions", DataType::FLOAT, &[CHUNK as i64, DIM as i64]),
            value("counted", DataType::FLOAT, &[1, 1]),
        ],
        value_info: Vec::new(),
    }
}

/// Adds numbers up that are copied more often than memory holds.
fn glutton() -> GraphProto {
    let mut graph = mover();
    // Not known before the model is asked, so that nobody can work it out beforehand.
    graph.node.insert(0, node("Expand", &["pose", "vast"], "copies"));
    graph.node.insert(1, node("ReduceMax", &["copies"], "most"));
    graph.node[3] = node("Add", &["count", "most"], "counted");
    graph.initializer.push(integers("vast", &[2], &[1 << 28, 7]));
    graph
}

/// Goes round as often as there are numbers.
fn runner() -> GraphProto {
    let body = GraphProto {
        node: vec![node("Identity", &["going"], "goes"), node("Add", &["x", "step"], "y")],
        initializer: vec![floats("step", &[1, 1], &[0.0])],
        input: vec![
            value("turn", DataType::INT64, &[]),
            value("going", DataType::BOOL, &[]),
            value("x", DataType::FLOAT, &[1, 1]),
        ],
        output: vec![value("goes", DataType::BOOL, &[]), value("y", DataType::FLOAT, &[1, 1])],
        value_info: Vec::new(),
    };
    let mut graph = mover();
    let mut around = node("Loop", &["turns", "", "count"], "counted");
    around.attribute = vec![AttributeProto {
        name: text("body"),
        g: Some(body),
        r#type: Some(AttributeType::GRAPH),
        ..AttributeProto::default()
    }];
    graph.node[1] = around;
    graph.initializer.push(integers("turns", &[], &[i64::from(i32::MAX)]));
    graph
}

/// Its weights are said to lie in another file.
fn pointer() -> GraphProto {
    let mut graph = mover();
    let entry =
        |key: &str, value: &str| StringStringEntryProto { key: text(key), value: text(value) };
    let weights = &mut graph.initializer[0];
    weights.raw_data = None;
    weights.data_location = Some(DataLocation::EXTERNAL);
    weights.external_data = vec![entry("location", "/etc/passwd")];
    graph
}

const MANIFEST: &str = r#"
[[input]]
name = "pose"
fields = ["tool_pose"]

[[memory]]
input = "count"
output = "counted"
shape = [1, 1]

[action]
output = "actions"
"#;

/// Write a model and its manifest.
pub fn write(folder: &Path, name: &str) -> PathBuf {
    let graph = match name {
        "mover" => mover(),
        "glutton" => glutton(),
        "runner" => runner(),
        "pointer" => pointer(),
        other => panic!("no model {other}"),
    };
    let opset = OperatorSetIdProto { domain: text(""), version: Some(17) };
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![opset],
        ..ModelProto::default()
    };
    let path = folder.join(format!("{name}.onnx"));
    std::fs::write(&path, model.write_buf().unwrap()).unwrap();
    std::fs::write(folder.join(format!("{name}.onnx.toml")), MANIFEST).unwrap();
    path
}
