//! M18 over the whole range of 64-bit numbers, against a conversion written apart.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crazy_tens::dozenal::{
    InvalidNumberFormat, decimal_to_dozenal, dozenal_to_decimal, is_valid_dozenal,
    normalize_dozenal,
};
use proptest::prelude::*;

/// Division by hand, in a wider type and without the tables of the code under test.
fn naive_dozenal(number: i64) -> String {
    let (mut rest, mut text) = (i128::from(number).abs(), String::new());
    while rest > 0 || text.is_empty() {
        let digit = u32::try_from(rest % 12).unwrap();
        text.insert(0, char::from_digit(digit, 12).unwrap().to_ascii_uppercase());
        rest /= 12;
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// One of the accepted spellings of each digit, and of the whole.
fn respell(canonical: &str, choices: &[u8], zeros: usize) -> String {
    let spell = |(letter, choice): (char, &u8)| match letter {
        'A' => ['A', 'a', 'X', 'x', 'T', 't', '↊'][usize::from(*choice) % 7],
        'B' => ['B', 'b', 'E', 'e', '↋'][usize::from(*choice) % 5],
        digit => digit,
    };
    let (sign, digits) =
        canonical.strip_prefix('-').map_or(("+", canonical), |digits| ("-", digits));
    let digits: String = digits.chars().zip(choices).map(spell).collect();
    format!(" \t{sign}{}{digits}\n", "0".repeat(zeros))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_number_goes_there_and_back(number in any::<i64>()) {
        let text = decimal_to_dozenal(number);
        prop_assert_eq!(&text, &naive_dozenal(number));
        prop_assert_eq!(dozenal_to_decimal(&text), Ok(number));
        prop_assert_eq!(normalize_dozenal(&text), Ok(text));
    }

    #[test]
    fn every_spelling_means_the_same(
        number in any::<i64>(),
        choices in proptest::collection::vec(any::<u8>(), 20),
        zeros in 0_usize..30,
    ) {
        let canonical = naive_dozenal(number);
        let spelling = respell(&canonical, &choices, zeros);
        prop_assert!(is_valid_dozenal(&spelling));
        prop_assert_eq!(normalize_dozenal(&spelling), Ok(canonical), "{}", spelling);
        prop_assert_eq!(dozenal_to_decimal(&spelling), Ok(number), "{}", spelling);
    }

    #[test]
    fn any_text_is_valid_exactly_if_it_can_be_normalised(text in ".{0,12}|[-+ 0-9a-bA-BxXeEtT↊↋]{0,12}") {
        let normal = normalize_dozenal(&text);
        prop_assert_eq!(is_valid_dozenal(&text), normal.is_ok());
        if let Ok(normal) = normal {
            prop_assert_eq!(normalize_dozenal(&normal), Ok(normal.clone()));
            prop_assert_eq!(dozenal_to_decimal(&text), dozenal_to_decimal(&normal));
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_an_error_never_a_wrap(above in 1_u64.., negative: bool) {
        let wide = i128::from(above) + i128::from(i64::MAX) + i128::from(negative);
        let mut text = String::new();
        let mut rest = wide;
        while rest > 0 {
            text.insert(0, char::from_digit(u32::try_from(rest % 12).unwrap(), 12).unwrap());
            rest /= 12;
        }
        let text = if negative { format!("-{text}") } else { text };
        prop_assert_eq!(dozenal_to_decimal(&text), Err(InvalidNumberFormat::TooLarge));
        prop_assert!(is_valid_dozenal(&text));
    }
}

#[track_caller]
fn check(text: &str, expected: Result<(&str, i64), InvalidNumberFormat>) {
    assert_eq!(normalize_dozenal(text), expected.map(|(normal, _)| normal.to_owned()), "{text:?}");
    assert_eq!(dozenal_to_decimal(text), expected.map(|(_, number)| number), "{text:?}");
    assert_eq!(is_valid_dozenal(text), expected.is_ok(), "{text:?}");
}

#[test]
fn canonical_form_has_no_plus_no_leading_zeros_and_no_minus_zero() {
    check("10", Ok(("10", 12)));
    check("+0042", Ok(("42", 50)));
    check("-0", Ok(("0", 0)));
    check("-00A", Ok(("-A", -10)));
    check(" x↋ ", Ok(("AB", 131)));
    check("Te", Ok(("AB", 131)));
    check("-41A792678515120368", Ok(("-41A792678515120368", i64::MIN)));
    check("41A792678515120367", Ok(("41A792678515120367", i64::MAX)));
}

#[test]
fn what_is_no_number_is_told_with_the_reason() {
    check("", Err(InvalidNumberFormat::Empty));
    check("  ", Err(InvalidNumberFormat::Empty));
    check("-", Err(InvalidNumberFormat::Empty));
    check("1C", Err(InvalidNumberFormat::Digit('C')));
    check("--1", Err(InvalidNumberFormat::Digit('-')));
    check("1 2", Err(InvalidNumberFormat::Digit(' ')));
    check("1.5", Err(InvalidNumberFormat::Digit('.')));
    assert_eq!(dozenal_to_decimal("41A792678515120368"), Err(InvalidNumberFormat::TooLarge));
    assert_eq!(dozenal_to_decimal(&"B".repeat(10_000)), Err(InvalidNumberFormat::TooLarge));
}

#[test]
fn the_dozenal_target_is_twelve() {
    use crazy_tens::dozenal::{DECIMAL_BASE, DOZENAL_BASE};
    use crazy_tens::{DOZENAL_TARGET, DOZENAL_TARGET_DECIMAL};
    assert_eq!((DOZENAL_BASE, DECIMAL_BASE), (12, 10));
    assert_eq!(dozenal_to_decimal(DOZENAL_TARGET), Ok(i64::from(DOZENAL_TARGET_DECIMAL)));
}
