//! The workspace as `cargo metadata` tells it, reduced to what the checks ask.
//!
//! Knows packages and who depends on whom; judges nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::{Shell, cmd};

use super::tree::is_under;

#[derive(Default)]
pub(crate) struct Workspace {
    pub(crate) members: Vec<Member>,
    /// All packages, members too, by id.
    pub(crate) packages: BTreeMap<String, Package>,
    /// Package id to the ids of its normal dependencies, as resolved for the whole workspace.
    pub(crate) normal: BTreeMap<String, Vec<String>>,
}

pub(crate) struct Member {
    pub(crate) package: Package,
    /// The crate's folder relative to the root, with `/` on every platform.
    pub(crate) folder: String,
    /// The crate's name in paths, e.g. `crazy_tens`; of a mere binary, its package name so spelt.
    pub(crate) lib: String,
    /// The text of its `Cargo.toml`.
    pub(crate) manifest: String,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

/// A dependency as declared, whether or not a feature or target switches it on.
#[derive(Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency.
    pub(crate) kind: Option<Kind>,
    /// Only for a dependency by path.
    pub(crate) path: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Build,
    Dev,
}

#[derive(Clone, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    workspace_root: PathBuf,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<Kind>,
}

impl Workspace {
    pub(crate) fn load(shell: &Shell) -> Result<Self> {
        let json = cmd!(shell, "cargo metadata --format-version 1").read()?;
        let metadata = serde_json::from_str(&json).context("reading cargo metadata")?;
        Self::from_metadata(metadata, |path| {
            fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
        })
    }

    fn from_metadata(
        metadata: Metadata,
        read_manifest: impl Fn(&Path) -> Result<String>,
    ) -> Result<Self> {
        let mut workspace = Self::default();
        for package in metadata.packages {
            if metadata.workspace_members.contains(&package.id) {
                workspace.members.push(Member {
                    folder: folder_of(&package, &metadata.workspace_root)?,
                    lib: package.lib_name(),
                    manifest: read_manifest(&package.manifest_path)?,
                    package: package.clone(),
                });
            }
            workspace.packages.insert(package.id.clone(), package);
        }
        for node in metadata.resolve.nodes {
            let is_normal = |edge: &Edge| edge.dep_kinds.iter().any(|each| each.kind.is_none());
            let normal = node.deps.into_iter().filter(is_normal);
            let ids = normal.map(|edge| edge.pkg).collect();
            workspace.normal.insert(node.id, ids);
        }
        Ok(workspace)
    }

    pub(crate) fn member(&self, lib: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.lib == lib)
    }

    /// The member a file belongs to: the innermost, since a board's crate lies inside its game's.
    pub(crate) fn owner(&self, path: &str) -> Option<&Member> {
        let members = self.members.iter();
        members
            .filter(|member| is_under(path, &member.folder))
            .max_by_key(|member| member.folder.len())
    }
}

impl Member {
    pub(crate) fn path(&self, file: &str) -> String {
        if self.folder.is_empty() { file.to_owned() } else { format!("{}/{file}", self.folder) }
    }

    /// `games/chess`, not `games/chess/ui`.
    pub(crate) fn is_game(&self) -> bool {
        let name = self.folder.strip_prefix("games/");
        name.is_some_and(|name| !name.contains('/'))
    }
}

impl Package {
    fn lib_name(&self) -> String {
        let is_lib = |kind: &String| kind.contains("lib") || kind == "proc-macro";
        let mut targets = self.targets.iter();
        let lib = targets.find(|target| target.kind.iter().any(is_lib));
        let name = lib.map_or(&self.name, |target| &target.name);
        name.replace('-', "_")
    }
}

fn folder_of(package: &Package, root: &Path) -> Result<String> {
    let manifest = package.manifest_path.strip_prefix(root);
    let folder = manifest.context("a member outside the root")?.parent();
    let names = folder.into_iter().flat_map(Path::iter);
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    Ok(names.join("/"))
}

#[cfg(test)]
impl Workspace {
    /// Crates without dependencies, named after their folders, with an exemplary manifest.
    pub(crate) fn sample(folders: &[&str]) -> Self {
        let mut workspace = Self::default();
        for folder in folders {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let package = Package {
                id: name.to_owned(),
                name: name.to_owned(),
                version: "0.1.0".to_owned(),
                license: Some("MIT OR Apache-2.0".to_owned()),
                dependencies: Vec::new(),
                manifest_path: PathBuf::new(),
                targets: Vec::new(),
            };
            workspace.members.push(Member {
                folder: (*folder).to_owned(),
                lib: package.lib_name(),
                manifest: "lints.workspace = true".to_owned(),
                package: package.clone(),
            });
            workspace.packages.insert(package.id.clone(), package);
        }
        workspace
    }
}

#[cfg(test)]
mod tests {
    use super::Workspace;

    const METADATA: &str = r#"{
        "packages": [{
            "id": "go 1", "name": "go-moku", "version": "0.1.0", "license": null,
            "manifest_path": "/parlor/games/go/Cargo.toml", "dependencies": [],
            "targets": [{"name": "shell", "kind": ["bin"]}, {"name": "moku", "kind": ["lib"]}]
        }],
        "workspace_members": ["go 1"],
        "workspace_root": "/parlor",
        "resolve": {"nodes": [{"id": "go 1", "deps": [
            {"pkg": "serde 1", "dep_kinds": [{"kind": "dev"}, {"kind": null}]},
            {"pkg": "tokio 1", "dep_kinds": [{"kind": "dev"}, {"kind": "build"}]}
        ]}]}
    }"#;

    #[test]
    fn metadata_tells_folder_lib_and_normal_dependencies() -> anyhow::Result<()> {
        let metadata = serde_json::from_str(METADATA)?;
        let workspace = Workspace::from_metadata(metadata, |_| Ok(String::new()))?;
        let member = workspace.member("moku").map(|it| it.folder.as_str());
        assert_eq!(member, Some("games/go"));
        assert_eq!(workspace.normal["go 1"], ["serde 1"]);
        Ok(())
    }

    #[test]
    fn a_file_belongs_to_the_innermost_crate() {
        let workspace = Workspace::sample(&["games/chess", "games/chess/ui", "xtask"]);
        let check = |path, expected: Option<&str>| {
            let owner = workspace.owner(path).map(|member| member.folder.as_str());
            assert_eq!(owner, expected, "{path}");
        };
        check("games/chess/tests/rules.rs", Some("games/chess"));
        check("games/chess/ui/src/lib.rs", Some("games/chess/ui"));
        check("docs/sample.rs", None);
    }
}
