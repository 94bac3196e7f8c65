//! `cargo xtask words`: the default word list, from Debian's package `scowl`.
//!
//! SCOWL sorts English words by how common they are (sizes 10 to 95) and by spelling. Ours are:
//!
//! 1. all of its `words` up to size 80, in every spelling but `variant_3`, which SCOWL itself calls
//!    seldom used. Size 80 is where the lists that word players made come in, ENABLE among them, and
//!    with them ZA and OY; size 95 adds what only large old dictionaries have. Names, capitals and
//!    contractions are files of their own, which are not read;
//! 2. accents left off (CAFE), then those of 2 to 15 letters a to z: no apostrophes, no hyphens;
//! 3. of the `abbreviations` in small letters those whose plural is a word by 1: SCOWL files a word
//!    there that is also an abbreviation (AA, BIO, OP);
//! 4. without a vowel or Y only words named here: the rest are units and plurals of letters;
//! 5. a few words that SCOWL has elsewhere, and a few that are none, named here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use scrabble_words::Lexicon;
use xshell::Shell;

use crate::debian;

const NAME: &str = "scowl-80";
const PACKAGE: &str = "scowl";
const LISTS: &str = "/usr/share/dict/scowl";
const NOTICE: &str = "/usr/share/doc/scowl/copyright";
const SIZE_MAX: u32 = 80;

/// Words without A, E, I, O, U and Y. (A `W` is one in CWM.)
const VOWELLESS: &[&str] = &[
    "brr", "brrr", "crwth", "crwths", "cwm", "cwms", "hm", "hmm", "mm", "nth", "pfft", "phpht",
    "pht", "psst", "pssts", "pst", "psts", "pwn", "pwns", "sh", "shh", "ssh", "tsk", "tsks",
    "tsktsk", "tsktsks", "zzz",
];
/// Words that SCOWL has as abbreviations without a plural, or in its largest size alone.
const ALSO: &[&str] = &["ab", "abs", "ae", "ed", "eds", "ew", "hm", "mm", "mo", "ok", "os"];
/// Abbreviations and names of letters that SCOWL has as words, or that look like one by rule 3.
const NEITHER: &[&str] = &["aeq", "bu", "esc", "ge", "se", "ys"];

/// Writes the packed list, its notice, and the plain list for whoever wants to read it.
pub(crate) fn make(sh: &Shell, root: &Path) -> Result<()> {
    if !Path::new(LISTS).exists() {
        debian::install(sh, &[PACKAGE])?;
    }
    let words = select(&Files::read(Path::new(LISTS))?)?;
    let lexicon = Lexicon::from_words(NAME, words.iter().map(String::as_str))?;
    let data = root.join("games/scrabble/words/data");
    let packed = lexicon.to_bytes();
    fs::write(data.join("english.lexicon"), &packed)?;
    fs::copy(NOTICE, data.join("SCOWL-NOTICE.txt"))?;
    let plain = crate::target_dir(sh)?.join("english.txt");
    let lines: String = words.iter().flat_map(|word| [word.as_str(), "\n"]).collect();
    fs::write(&plain, lines)?;
    println!(
        "{} words, {} bytes packed, {} in memory",
        words.len(),
        packed.len(),
        lexicon.memory_bytes()
    );
    println!("SHA-256 of the words: {}", hex::encode(lexicon.hash()));
    println!("the list as text: {}", plain.display());
    Ok(())
}

/// What SCOWL has in small letters, accents left off.
#[derive(Default)]
struct Files {
    words: BTreeSet<String>,
    abbreviations: BTreeSet<String>,
    /// Words and abbreviations of every size and spelling.
    all: BTreeSet<String>,
}

impl Files {
    fn read(folder: &Path) -> Result<Self> {
        let mut files = Self::default();
        let mut paths = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<PathBuf>>>()?;
        paths.sort();
        for path in paths {
            let name =
                path.file_name().and_then(|it| it.to_str()).context("a file without a name")?;
            let (list, size) = name.rsplit_once('.').context("a list without a size")?;
            let text = fs::read_to_string(&path).with_context(|| name.to_owned())?;
            let words = text.lines().filter_map(fold);
            let is_common = size.parse::<u32>()? <= SIZE_MAX && !list.starts_with("variant_3");
            for word in words {
                match list.rsplit_once('-') {
                    Some((_, "words")) if is_common => files.words.insert(word.clone()),
                    Some((_, "abbreviations")) if is_common => {
                        files.abbreviations.insert(word.clone())
                    }
                    Some((_, "words" | "abbreviations")) => true,
                    _ => continue,
                };
                files.all.insert(word);
            }
        }
        ensure!(!files.words.is_empty(), "there are no words in {}", folder.display());
        Ok(files)
    }
}

fn select(files: &Files) -> Result<BTreeSet<String>> {
    let mut words = files.words.clone();
    let has_plural = |word: &&String| files.words.contains(&format!("{word}s"));
    words.extend(files.abbreviations.iter().filter(has_plural).cloned());
    for also in ALSO {
        ensure!(files.all.contains(*also), "`{also}` is not in SCOWL");
        words.insert((*also).to_owned());
    }
    words.retain(|word| {
        let has_vowel = word.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        (has_vowel || VOWELLESS.contains(&word.as_str())) && !NEITHER.contains(&word.as_str())
    });
    Ok(words)
}

/// An entry of a list, if it can be a word of ours.
fn fold(entry: &str) -> Option<String> {
    let word: String = entry.chars().map(without_accent).collect();
    let fits = (2..=15).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    fits.then_some(word)
}

fn without_accent(letter: char) -> char {
    match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ALSO, Files, fold, select};

    #[track_caller]
    fn check_fold(entry: &str, expected: Option<&str>) {
        assert_eq!(fold(entry).as_deref(), expected, "{entry:?}");
    }

    #[test]
    fn accents_are_left_off_and_other_signs_leave_the_word_out() {
        check_fold("café", Some("cafe"));
        check_fold("qi", Some("qi"));
        check_fold("a", None);
        check_fold("Paris", None);
        check_fold("cat's", None);
        check_fold("e-mail", None);
        check_fold("uncharacteristic", None);
        check_fold("", None);
    }

    #[test]
    fn abbreviations_with_a_plural_are_words_and_letters_are_not() {
        let set = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<BTreeSet<_>>();
        let files = Files {
            words: set(&["aas", "kb", "cwm", "ge"]),
            abbreviations: set(&["aa", "kg"]),
            all: set(ALSO),
        };
        let mut expected = set(&["aa", "aas", "cwm"]);
        expected.extend(set(ALSO));
        assert_eq!(select(&files).unwrap(), expected);
        assert!(select(&Files::default()).is_err());
    }
}
