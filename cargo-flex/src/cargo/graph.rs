//! What the packages of a workspace depend on by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cargo_metadata::{Metadata, MetadataCommand, PackageId};

use super::args::CargoArgs;

/// Whether any package of the workspace in these folders depends on a crate, at whatever distance and with whichever
/// features; `true` where cargo cannot say.
pub fn any_reaches(args: &CargoArgs, folders: &[PathBuf], name: &str) -> bool {
    let mut command = MetadataCommand::new();
    let lock = args.words_of_lock().into_iter().map(str::to_owned);
    let options = ["--all-features".to_owned()].into_iter().chain(lock);
    command.other_options(options.collect::<Vec<_>>());
    if let Some(path) = args.manifest_path() {
        command.manifest_path(path);
    }
    command
        .exec()
        .map_or(true, |metadata| reaches(&metadata, folders, name))
}

fn reaches(metadata: &Metadata, folders: &[PathBuf], name: &str) -> bool {
    let Some(resolve) = &metadata.resolve else {
        return true;
    };
    let needs: BTreeMap<&PackageId, &[PackageId]> = resolve
        .nodes
        .iter()
        .map(|node| (&node.id, node.dependencies.as_slice()))
        .collect();
    let is_asked = |package: &cargo_metadata::Package| {
        let folder = package.manifest_path.parent();
        folder.is_some_and(|folder| folders.iter().any(|asked| asked == folder.as_std_path()))
    };
    let asked = metadata.packages.iter().filter(|package| is_asked(package));
    let mut open: Vec<&PackageId> = asked.map(|package| &package.id).collect();
    let mut known = BTreeSet::new();
    while let Some(id) = open.pop() {
        if known.insert(id) {
            open.extend(needs.get(id).copied().unwrap_or_default());
        }
    }
    let mut packages = metadata.packages.iter();
    packages.any(|package| package.name.as_str() == name && known.contains(&package.id))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::typed::options_of;

    #[test]
    fn what_others_depend_on_is_reached() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let manifest = root.join("Cargo.toml").display().to_string();
        let args: CargoArgs =
            options_of(&format!("c --offline --locked --manifest-path {manifest}"));
        let check = |folder: &str, name: &str, expected: bool| {
            let reaches = any_reaches(&args, &[root.join(folder)], name);
            assert_eq!(reaches, expected, "{folder} {name}");
        };
        check("examples/membership", "flex-macros", true);
        check("flex-bounds", "flex-core", true);
        check("flex-bounds", "flex-harness", false);
        // Who cannot be asked may have anything.
        let args = options_of("c --manifest-path /nowhere/Cargo.toml");
        assert!(any_reaches(&args, &[], "flex-harness"));
    }
}
