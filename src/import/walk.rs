//! The files below a folder, in an order that does not depend on the file system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a walk found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Files, and folders that count as one, in order of their names, folder by folder.
    pub paths: Vec<PathBuf>,
    /// What was not entered or read, and why.
    pub skipped: Vec<(PathBuf, String)>,
}

/// Lists what lies below `root`, which is a folder. A folder that `is_unit` accepts is listed and not entered.
///
/// Links to files are followed. Links to folders are not, so that no loop can be entered; they are listed as skipped,
/// as are folders that cannot be read, links to nothing, and what is neither a file nor a folder.
///
/// # Errors
/// When `root` itself cannot be read.
pub fn walk(root: &Path, is_unit: &dyn Fn(&Path) -> bool) -> io::Result<Walk> {
    let mut found = Walk::default();
    if is_unit(root) {
        found.paths.push(root.to_owned());
        return Ok(found);
    }
    // Depth first without recursion: a folder may nest deeper than the stack.
    let mut open = children(root)?;
    while let Some(path) = open.pop() {
        if !path.is_dir() {
            match fs::metadata(&path) {
                Ok(about) if about.is_file() => found.paths.push(path),
                Ok(_) => found.skipped.push((path, "neither a file nor a folder".to_owned())),
                Err(error) => found.skipped.push((path, format!("cannot read the file: {error}"))),
            }
        } else if path.is_symlink() {
            found.skipped.push((path, "a link to a folder, not followed: it may lead back".to_owned()));
        } else if is_unit(&path) {
            found.paths.push(path);
        } else {
            match children(&path) {
                Ok(children) => open.extend(children),
                Err(error) => found.skipped.push((path, format!("cannot read the folder: {error}"))),
            }
        }
    }
    Ok(found)
}

/// What a folder holds, by name, last first.
fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut children =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    children.sort_unstable_by(|a, b| b.cmp(a));
    Ok(children)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::walk;

    fn names(root: &Path, paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn files_come_in_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("b/unit/inner")).unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        for name in ["c", "a", "b/z", "b/unit/inner/x", "b/aa"] {
            fs::write(root.join(name), "").unwrap();
        }
        let found = walk(root, &|path| path.ends_with("unit")).unwrap();
        assert_eq!(names(root, &found.paths), ["a", "b/aa", "b/unit", "b/z", "c"]);
        assert_eq!(found.skipped, []);
        assert!(walk(&root.join("nowhere"), &|_| false).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn loops_and_dead_ends_are_said() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/file"), "").unwrap();
        symlink(root, root.join("sub/back")).unwrap();
        symlink(root.join("sub/file"), root.join("link")).unwrap();
        symlink("itself", root.join("itself")).unwrap();
        symlink("nothing", root.join("dead")).unwrap();
        let found = walk(root, &|_| false).unwrap();
        assert_eq!(names(root, &found.paths), ["link", "sub/file"]);
        let skipped: Vec<PathBuf> = found.skipped.iter().map(|(path, _)| path.clone()).collect();
        assert_eq!(names(root, &skipped), ["dead", "itself", "sub/back"]);
        assert!(found.skipped[2].1.contains("not followed"), "{:?}", found.skipped);
    }
}
