/** Sample rates by their index in the stream (ISO/IEC 14496-3, table 1.18). */
export const aacRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const

const offsets = (text: string): readonly number[] => text.trim().split(/\s+/).map(Number)

/** Scale factor bands of a window of 1,024 coefficients, by rate: tables 4.129 to 4.147. */
const long = {
  96: offsets(`0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 64 72 80 88 96 108 120 132 144 156 172 188 212 240 276 320 384 448 512
    576 640 704 768 832 896 960 1024`),
  64: offsets(`0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 64 72 80 88 100 112 124 140 156 172 192 216 240 268 304 344 384 424
    464 504 544 584 624 664 704 744 784 824 864 904 944 984 1024`),
  48: offsets(`0 4 8 12 16 20 24 28 32 36 40 48 56 64 72 80 88 96 108 120 132 144 160 176 196 216 240 264 292 320 352 384 416
    448 480 512 544 576 608 640 672 704 736 768 800 832 864 896 928 1024`),
  32: offsets(`0 4 8 12 16 20 24 28 32 36 40 48 56 64 72 80 88 96 108 120 132 144 160 176 196 216 240 264 292 320 352 384 416
    448 480 512 544 576 608 640 672 704 736 768 800 832 864 896 928 960 992 1024`),
  24: offsets(`0 4 8 12 16 20 24 28 32 36 40 44 52 60 68 76 84 92 100 108 116 124 136 148 160 172 188 204 220 240 260 284 308
    336 364 396 432 468 508 552 600 652 704 768 832 896 960 1024`),
  16: offsets(`0 8 16 24 32 40 48 56 64 72 80 88 100 112 124 136 148 160 172 184 196 212 228 244 260 280 300 320 344 368 396
    424 456 492 532 572 616 664 716 772 832 896 960 1024`),
  8: offsets(`0 12 24 36 48 60 72 84 96 108 120 132 144 156 172 188 204 220 236 252 268 288 308 328 348 372 396 420 448 476
    508 544 580 620 664 712 764 820 880 944 1024`),
}

/** Those of a window of 128 coefficients. */
const short = {
  96: offsets('0 4 8 12 16 20 24 32 40 48 64 92 128'),
  48: offsets('0 4 8 12 16 20 28 36 44 56 68 80 96 112 128'),
  24: offsets('0 4 8 12 16 20 24 28 36 44 52 64 76 92 108 128'),
  16: offsets('0 4 8 12 16 20 24 28 32 40 48 60 72 88 108 128'),
  8: offsets('0 4 8 12 16 20 24 28 36 44 52 60 72 88 108 128'),
}

/** Boundaries of the scale factor bands of one sample rate, and the number of bands that noise shaping may cover. */
export type Bands = {
  readonly long: readonly number[]
  readonly short: readonly number[]
  readonly shapedLong: number
  readonly shapedShort: number
}

const bands = (
  longOf: keyof typeof long,
  shortOf: keyof typeof short,
  shapedLong: number,
  shapedShort: number,
): Bands => ({ long: long[longOf], short: short[shortOf], shapedLong, shapedShort })

/** By index of the rate; the limits of noise shaping are those of table 4.156 for low complexity. */
export const bandsOfRate: readonly Bands[] = [
  bands(96, 96, 31, 9),
  bands(96, 96, 31, 9),
  bands(64, 96, 34, 10),
  bands(48, 48, 40, 14),
  bands(48, 48, 42, 14),
  bands(32, 48, 51, 14),
  bands(24, 24, 46, 14),
  bands(24, 24, 46, 14),
  bands(16, 16, 42, 14),
  bands(16, 16, 42, 14),
  bands(16, 16, 42, 14),
  bands(8, 8, 39, 14),
  bands(8, 8, 39, 14),
]
