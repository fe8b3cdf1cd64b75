//! The rules of the house that a compiler does not hold.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

fn metadata() -> Metadata {
    MetadataCommand::new()
        .other_options(["--locked".to_owned(), "--offline".to_owned()])
        .exec()
        .expect("cargo metadata")
}

/// What each of our crates may import of ours, tests aside.
fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    [
        ("blazon", vec!["blazon-actors", "blazon-extract", "blazon-migration"]),
        ("blazon-actors", vec!["blazon-entities", "blazon-extract"]),
        ("blazon-extract", vec![]),
        ("blazon-entities", vec![]),
        ("blazon-migration", vec![]),
    ]
    .into_iter()
    .map(|(name, may)| (name, may.into_iter().collect()))
    .collect()
}

fn normal_dependencies(package: &Package) -> BTreeSet<&str> {
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    normal.map(|dependency| dependency.name.as_str()).collect()
}

#[test]
fn crates_import_each_other_in_one_direction() {
    let metadata = metadata();
    let allowed = allowed();
    for package in metadata.workspace_packages() {
        let ours: BTreeSet<_> =
            normal_dependencies(package).into_iter().filter(|name| allowed.contains_key(name)).collect();
        let may =
            allowed.get(package.name.as_str()).unwrap_or_else(|| panic!("{}: say what it may import", package.name));
        assert!(ours.is_subset(may), "{} imports {:?}", package.name, ours.difference(may));
    }
}

#[test]
fn rooms_stay_clean_of_what_belongs_elsewhere() {
    let metadata = metadata();
    let forbidden = [
        ("blazon", vec!["sea-orm", "sqlx", "chromiumoxide", "fred", "reqwest"]),
        ("blazon-actors", vec!["actix-web", "clap"]),
        ("blazon-extract", vec!["tokio", "actix", "reqwest", "futures", "async-trait", "sea-orm"]),
        ("blazon-entities", vec!["actix", "reqwest"]),
    ];
    for package in metadata.workspace_packages() {
        let imports = normal_dependencies(package);
        for (name, never) in &forbidden {
            if package.name.as_str() == *name {
                for dependency in never {
                    assert!(!imports.contains(dependency), "{name} must not import {dependency}");
                }
            }
        }
    }
}

/// Licences that may be linked into a program under Apache-2.0.
const LICENCES: [&str; 16] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OpenSSL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be satisfied by the list: every part of an
/// AND, any part of an OR. Reads the `/` of old manifests as OR.
fn acceptable(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    expression.split(" AND ").all(|all| all.split(" OR ").any(|any| LICENCES.contains(&any.trim())))
}

#[test]
fn every_dependency_has_a_licence_we_may_link() {
    let unacceptable: Vec<_> = metadata()
        .packages
        .iter()
        .filter(|package| package.source.is_some())
        .filter(|package| !package.license.as_deref().is_some_and(acceptable))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert_eq!(unacceptable, Vec::<String>::new());
}

#[test]
fn copyleft_is_not_acceptable() {
    for licence in ["GPL-3.0-only", "AGPL-3.0", "MIT AND GPL-3.0-or-later", "LGPL-2.1"] {
        assert!(!acceptable(licence), "{licence}");
    }
    assert!(
        acceptable("MIT OR GPL-3.0")
            && acceptable("MIT/Apache-2.0")
            && acceptable("(MIT OR Apache-2.0) AND Unicode-3.0")
    );
}
