//! `libero_reset libero=DIR,robosuite=DIR[,robomemarena=DIR] SEED FILE.bddl…`: what a reset of the original draws, one
//! JSON object a line, to be compared with the original's own.

use std::process::ExitCode;

use longarm_assets::source::AssetFolders;
use longarm_suites::libero::originals;
use longarm_task::bddl;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folders, seed, files @ ..] = words.as_slice() else {
        eprintln!("usage: libero_reset libero=DIR,robosuite=DIR SEED FILE.bddl…");
        return ExitCode::from(2);
    };
    let (Ok(folders), Ok(seed)) = (folders.parse::<AssetFolders>(), seed.parse::<u32>()) else {
        eprintln!("libero_reset: folders are NAME=DIR,NAME=DIR, a seed is a whole number");
        return ExitCode::from(2);
    };
    for file in files {
        let drawn = std::fs::read(file).map_err(|e| e.to_string()).and_then(|text| {
            let problem = bddl::parse_bytes(&text).map_err(|e| e.to_string())?;
            originals::drawn(&folders, &problem, seed).map_err(|e| e.to_string())
        });
        let row = match drawn {
            Ok(drawn) => serde_json::json!({
                "file": file,
                "fixtures": drawn.fixtures.iter().map(|(n, p)| (n, p.pos.to_array(), p.wxyz())).collect::<Vec<_>>(),
                "objects": drawn.objects.iter().map(|(n, p, q)| (n, p.to_array(), q)).collect::<Vec<_>>(),
                "joints": drawn.joints,
            }),
            Err(e) => serde_json::json!({ "file": file, "error": e }),
        };
        println!("{row}");
    }
    ExitCode::SUCCESS
}
