//! Tail probabilities and quantiles of the normal distribution, by published rational approximations.

#![expect(
    clippy::excessive_precision,
    reason = "coefficients keep the digits they were published with"
)]

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// P(Z > z) for a standard normal Z.
pub(crate) fn normal_sf(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// The z with P(Z > z) = `probability` (Wichura 1988, algorithm AS 241, PPND16).
pub(crate) fn normal_isf(probability: f64) -> f64 {
    let middle = 0.5 - probability;
    if middle.abs() <= 0.425 {
        return middle * ratio(&QUANTILE_MIDDLE, 0.180625 - middle * middle);
    }
    let tail = probability.min(1.0 - probability);
    let root = (-tail.ln()).sqrt();
    let size = if root == f64::INFINITY {
        root
    } else if root <= 5.0 {
        ratio(&QUANTILE_TAIL, root - 1.6)
    } else {
        ratio(&QUANTILE_FAR, root - 5.0)
    };
    size.copysign(middle)
}

/// The complementary error function (Cody 1969).
fn erfc(x: f64) -> f64 {
    let size = x.abs();
    if size <= 0.46875 {
        return 1.0 - x * ratio(&ERF_MIDDLE, size * size);
    }
    let scaled = if size <= 4.0 {
        ratio(&ERFC_TAIL, size)
    } else {
        let inverse = 1.0 / (size * size);
        (1.0 / PI.sqrt() - inverse * ratio(&ERFC_FAR, inverse)) / size
    };
    let tail = (-size * size).exp() * scaled;
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// The coefficients of two polynomials, the constant first.
type Ratio<const N: usize> = [[f64; N]; 2];

fn ratio<const N: usize>(coefficients: &Ratio<N>, x: f64) -> f64 {
    let [above, below] = coefficients;
    polynomial(above, x) / polynomial(below, x)
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

const ERF_MIDDLE: Ratio<5> = [
    [
        3.209_377_589_138_469_47e3,
        3.774_852_376_853_020_21e2,
        1.138_641_541_510_501_56e2,
        3.161_123_743_870_565_60,
        1.857_777_061_846_031_53e-1,
    ],
    [
        2.844_236_833_439_170_62e3,
        1.282_616_526_077_372_28e3,
        2.440_246_379_344_441_73e2,
        2.360_129_095_234_412_09e1,
        1.0,
    ],
];
const ERFC_TAIL: Ratio<9> = [
    [
        1.230_339_354_797_997_25e3,
        2.051_078_377_826_071_47e3,
        1.712_047_612_634_070_58e3,
        8.819_522_212_417_690_90e2,
        2.986_351_381_974_001_31e2,
        6.611_919_063_714_162_95e1,
        8.883_149_794_388_375_94,
        5.641_884_969_886_700_89e-1,
        2.153_115_354_744_038_46e-8,
    ],
    [
        1.230_339_354_803_749_42e3,
        3.439_367_674_143_721_64e3,
        4.362_619_090_143_247_16e3,
        3.290_799_235_733_459_63e3,
        1.621_389_574_566_690_19e3,
        5.371_811_018_620_098_58e2,
        1.176_939_508_913_124_99e2,
        1.574_492_611_070_983_47e1,
        1.0,
    ],
];
const ERFC_FAR: Ratio<6> = [
    [
        6.587_491_615_298_378_03e-4,
        1.608_378_514_874_227_66e-2,
        1.257_817_261_112_292_46e-1,
        3.603_448_999_498_044_39e-1,
        3.053_266_349_612_323_44e-1,
        1.631_538_713_730_209_78e-2,
    ],
    [
        2.335_204_976_268_691_85e-3,
        6.051_834_131_244_131_91e-2,
        5.279_051_029_514_284_12e-1,
        1.872_952_849_923_467_25,
        2.568_520_192_289_822_42,
        1.0,
    ],
];
const QUANTILE_MIDDLE: Ratio<8> = [
    [
        3.387_132_872_796_366_608_0,
        1.331_416_678_917_843_774_5e2,
        1.971_590_950_306_551_442_7e3,
        1.373_169_376_550_946_112_5e4,
        4.592_195_393_154_987_145_7e4,
        6.726_577_092_700_870_085_3e4,
        3.343_057_558_358_812_810_5e4,
        2.509_080_928_730_122_672_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091_125_2e1,
        6.871_870_074_920_579_083_0e2,
        5.394_196_021_424_751_107_7e3,
        2.121_379_430_158_659_586_7e4,
        3.930_789_580_009_271_061_0e4,
        2.872_908_573_572_194_267_4e4,
        5.226_495_278_852_854_561_0e3,
    ],
];
const QUANTILE_TAIL: Ratio<8> = [
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_90,
        5.769_497_221_460_691_405_50,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        2.417_807_251_774_506_117_70e-1,
        2.272_384_498_926_918_458_33e-2,
        7.745_450_142_783_414_076_40e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_40,
        6.897_673_349_851_000_045_50e-1,
        1.481_039_764_274_800_745_90e-1,
        1.519_866_656_361_645_719_66e-2,
        5.475_938_084_995_344_946_00e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
];
const QUANTILE_FAR: Ratio<8> = [
    [
        6.657_904_643_501_103_777_20,
        5.463_784_911_164_114_369_90,
        1.784_826_539_917_291_335_80,
        2.965_605_718_285_048_912_30e-1,
        2.653_218_952_657_612_309_30e-2,
        1.242_660_947_388_078_438_60e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879_376_90e-1,
        1.369_298_809_227_358_053_10e-1,
        1.487_536_129_085_061_485_25e-2,
        7.868_691_311_456_132_591_00e-4,
        1.846_318_317_510_054_681_80e-5,
        1.421_511_758_316_445_888_70e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_mpmath() {
        // mpmath.erfc(z / mpmath.sqrt(2)) / 2
        for (z, expected) in [
            (-6.0, 0.9999999990134123),
            (-3.7, 0.9998922002665226),
            (-1.25, 0.8943502263331448),
            (-0.5, 0.6914624612740131),
            (0.0, 0.5),
            (0.3, 0.3820885778110474),
            (0.66, 0.25462691467133614),
            (1.0, 0.15865525393145705),
            (1.959963984540054, 0.025000000000000012),
            (3.7, 0.00010779973347738826),
            (5.6, 1.071759025831093e-08),
            (5.7, 5.990371401063528e-09),
            (8.0, 6.220960574271784e-16),
            (12.5, 3.732564298877713e-36),
            (25.0, 3.056696706382561e-138),
            (36.0, 4.182624065797283e-284),
        ] {
            let error = normal_sf(z) / expected - 1.0;
            // The argument's own rounding grows with z².
            assert!(error.abs() < 4e-16 * (4.0 + z * z), "z {z}: {error:e}");
        }
    }

    #[test]
    fn quantiles_lead_back_to_their_probability() {
        for probability in [
            1e-300, 1e-100, 1e-20, 1e-12, 1e-11, 1e-6, 1e-3, 0.05, 0.074, 0.076,
        ] {
            let z = normal_isf(probability);
            let error = normal_sf(z) / probability - 1.0;
            assert!(
                error.abs() < 4e-16 * (4.0 + z * z),
                "{probability}: {error:e}"
            );
        }
        for probability in [0.2, 0.4, 0.5, 0.7, 0.95, 0.999] {
            let error = normal_sf(normal_isf(probability)) - probability;
            assert!(error.abs() < 1e-15, "{probability}: {error:e}");
        }
        assert_eq!(normal_isf(0.0), f64::INFINITY);
        assert_eq!(normal_isf(1.0), f64::NEG_INFINITY);
    }
}
