//! `pellucid man`.

use std::fs;

use clap::CommandFactory;
use clap_mangen::Man as Page;

use crate::args::{Args, Man};
use crate::failure::{Failure, naming};
use crate::output;

pub fn run(args: &Man) -> Result<(), Failure> {
    let mut program = Args::command();
    program.build();
    let Some(folder) = &args.folder else {
        return output::print(&text(Page::new(program))?);
    };
    fs::create_dir_all(folder).map_err(|e| Failure::work(naming(folder, e)))?;
    let commands: Vec<clap::Command> = program.get_subcommands().cloned().collect();
    for command in commands {
        if command.get_name() == "help" {
            continue;
        }
        let name = format!("pellucid-{}", command.get_name());
        let page = text(Page::new(command).title(&name))?;
        output::write_file(&folder.join(format!("{name}.1")), page.as_bytes(), true, &[])?;
    }
    output::write_file(&folder.join("pellucid.1"), text(Page::new(program))?.as_bytes(), true, &[])
}

fn text(man: Page) -> Result<String, Failure> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(Failure::work)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
