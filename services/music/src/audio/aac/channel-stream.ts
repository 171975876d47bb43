import type { BitReader } from '../bit-reader.ts'
import { invalidAudio } from '../refusal.ts'
import type { Bands } from './bands.ts'
import { type SpectralCode, scaleFactorCode, spectralCodes } from './code-tables.ts'
import { unsupportedAac } from './config.ts'
import { createPrefixDecoder } from './prefix-code.ts'

/** Coefficients of a frame and channel. */
export const frameSize = 1024
const shortSize = 128

/** Values of `sequence`: the shapes of consecutive windows. */
export const windows = { long: 0, start: 1, short: 2, stop: 3 } as const

/** How the coefficients of a channel are divided: windows, groups of windows, bands. */
export type WindowInfo = {
  readonly sequence: number
  /** 0: sine, 1: Kaiser-Bessel derived. */
  readonly shape: number
  /** Bands in use. */
  readonly maxBand: number
  /** Lengths of the groups of windows; one of 1 for a long window. */
  readonly groups: readonly number[]
  readonly offsets: readonly number[]
  readonly shapedBands: number
}

/** A filter of temporal noise shaping, over a number of bands counted from the top. */
export type NoiseFilter = {
  readonly window: number
  readonly topBand: number
  readonly bottomBand: number
  readonly isDownward: boolean
  /** Reflection coefficients. */
  readonly reflections: readonly number[]
}

/** Codebooks with a special meaning. */
export const noiseBook = 13
export const intensityBooks = { inverted: 14, inPhase: 15 } as const

/** One channel of a frame: its dequantised coefficients, and what the tools need. Bands are numbered group × 64 + band. */
export type ChannelStream = {
  readonly info: WindowInfo
  readonly books: Uint8Array
  readonly scales: Int16Array
  readonly spectrum: Float64Array
  readonly filters: readonly NoiseFilter[]
}

export const bandIndex = (group: number, band: number): number => group * 64 + band

const damaged = (what: string) => invalidAudio(`The AAC stream is damaged: ${what}.`)

/** Reads ics_info (ISO/IEC 14496-3, table 4.6). */
export const readWindowInfo = (bits: BitReader, bands: Bands): WindowInfo => {
  bits.skip(1)
  const sequence = bits.read(2)
  const shape = bits.read(1)
  const isShort = sequence === windows.short
  const offsets = isShort ? bands.short : bands.long
  const maxBand = bits.read(isShort ? 4 : 6)
  if (maxBand >= offsets.length) throw damaged('it uses more bands than there are')
  const groups = [1]
  if (isShort) {
    for (let window = 1; window < 8; window++) {
      if (bits.read(1)) groups.push((groups.pop() ?? 0) + 1)
      else groups.push(1)
    }
  } else if (bits.read(1)) throw unsupportedAac('AAC with prediction')
  return { sequence, shape, maxBand, groups, offsets, shapedBands: isShort ? bands.shapedShort : bands.shapedLong }
}

/** Reads section_data: the codebook of each band. */
const readBooks = (bits: BitReader, { sequence, maxBand, groups }: WindowInfo): Uint8Array => {
  const books = new Uint8Array(groups.length * 64)
  const size = sequence === windows.short ? 3 : 5
  const continued = (1 << size) - 1
  for (const [group] of groups.entries()) {
    for (let band = 0; band < maxBand; ) {
      const book = bits.read(4)
      if (book === 12) throw damaged('it uses a reserved codebook')
      let end = band
      let increment = continued
      while (increment === continued) {
        increment = bits.read(size)
        end += increment
      }
      if (end > maxBand || end === band) throw damaged('its sections do not fit')
      books.fill(book, bandIndex(group, band), bandIndex(group, end))
      band = end
    }
  }
  return books
}

const readScaleDifference = createPrefixDecoder(scaleFactorCode)
const zeroDifference = 60

/** Reads scale_factor_data: gains, intensity positions and noise energies, each coded as a difference from the last of its kind. */
const readScales = (
  bits: BitReader,
  { maxBand, groups }: WindowInfo,
  books: Uint8Array,
  globalGain: number,
): Int16Array => {
  const scales = new Int16Array(groups.length * 64)
  let [gain, position, noise] = [globalGain, 0, globalGain - 90]
  let isFirstNoise = true
  for (const [group] of groups.entries()) {
    for (let band = 0; band < maxBand; band++) {
      const at = bandIndex(group, band)
      const book = books[at] ?? 0
      if (book === 0) continue
      if (book === noiseBook && isFirstNoise) {
        noise += bits.read(9) - 256
        isFirstNoise = false
        scales[at] = noise
        continue
      }
      const difference = readScaleDifference(bits) - zeroDifference
      if (book === noiseBook) scales[at] = noise += difference
      else if (book >= intensityBooks.inverted) scales[at] = position += difference
      else {
        gain += difference
        if (gain < 0 || gain > 255) throw damaged('a scale factor is out of range')
        scales[at] = gain
      }
    }
  }
  return scales
}

type Pulse = { readonly at: number; readonly amplitude: number }

/** Reads pulse_data: a few coefficients that are larger than their codebook allows. */
const readPulses = (bits: BitReader, { sequence, offsets }: WindowInfo): Pulse[] => {
  if (!bits.read(1)) return []
  if (sequence === windows.short) throw damaged('it has pulses in short windows')
  const count = bits.read(2) + 1
  let at = offsets[bits.read(6)] ?? frameSize
  return Array.from({ length: count }, () => {
    at += bits.read(5)
    if (at >= frameSize) throw damaged('a pulse is out of range')
    return { at, amplitude: bits.read(4) }
  })
}

/** The longest filter of temporal noise shaping in a long and in a short window, for low complexity. */
const longestFilter = { long: 12, short: 7 } as const

/** Reads tns_data. The reflection coefficients are sines of quantised angles (4.6.9.3). */
const readFilters = (bits: BitReader, { sequence, offsets }: WindowInfo): NoiseFilter[] => {
  if (!bits.read(1)) return []
  const isShort = sequence === windows.short
  const [countBits, lengthBits, orderBits] = isShort ? [1, 4, 3] : [2, 6, 5]
  const filters: NoiseFilter[] = []
  for (let window = 0; window < (isShort ? 8 : 1); window++) {
    const count = bits.read(countBits)
    const resolution = count > 0 ? bits.read(1) + 3 : 0
    let bottom = offsets.length - 1
    for (let i = 0; i < count; i++) {
      const topBand = bottom
      bottom = Math.max(0, bottom - bits.read(lengthBits))
      const order = bits.read(orderBits)
      if (order > longestFilter[isShort ? 'short' : 'long']) throw damaged('a noise shaping filter is too long')
      if (order === 0) continue
      const isDownward = bits.read(1) === 1
      const size = resolution - bits.read(1)
      const reflections = Array.from({ length: order }, () => {
        const value = (bits.read(size) << (32 - size)) >> (32 - size)
        const steps = (1 << (resolution - 1)) + (value >= 0 ? -0.5 : 0.5)
        return Math.sin((value * Math.PI) / 2 / steps)
      })
      filters.push({ window, topBand, bottomBand: bottom, isDownward, reflections })
    }
  }
  return filters
}

type BookDecoder = {
  readonly code: SpectralCode
  readonly decode: (bits: BitReader) => number
  readonly digits: Int8Array
}

/** A decoder per spectral code, with the digits of its symbols. */
const bookDecoders: readonly BookDecoder[] = spectralCodes.map((code) => {
  const { group, isSigned, largest, symbols } = code
  const base = isSigned ? 2 * largest + 1 : largest + 1
  const digits = new Int8Array(symbols.length * group)
  for (let symbol = 0; symbol < symbols.length; symbol++) {
    let rest = symbol
    for (let place = group - 1; place >= 0; place--) {
      digits[symbol * group + place] = (rest % base) - (isSigned ? largest : 0)
      rest = Math.floor(rest / base)
    }
  }
  return { code, decode: createPrefixDecoder(code), digits }
})

const escapeBook = 11
const escapeValue = 16
const longestEscape = 8

/** The magnitude of a coefficient beyond 15: a unary length, then that many bits. */
const readEscape = (bits: BitReader): number => {
  let length = 0
  while (bits.read(1)) if (++length > longestEscape) throw damaged('a coefficient is too large')
  return 2 ** (length + 4) + bits.read(length + 4)
}

/** Reads the quantised coefficients of one band and window. */
const readBand = (bits: BitReader, book: number, quantised: Int16Array, from: number, to: number): void => {
  const decoder = bookDecoders[book - 1]
  if (!decoder) return
  const { code, decode, digits } = decoder
  for (let at = from; at < to; at += code.group) {
    const symbol = decode(bits) * code.group
    for (let i = 0; i < code.group; i++) quantised[at + i] = digits[symbol + i] ?? 0
    if (code.isSigned) continue
    for (let i = 0; i < code.group; i++)
      if (quantised[at + i] && bits.read(1)) quantised[at + i] = -(quantised[at + i] ?? 0)
    if (book !== escapeBook) continue
    for (let i = 0; i < code.group; i++) {
      const value = quantised[at + i] ?? 0
      if (Math.abs(value) === escapeValue) quantised[at + i] = Math.sign(value) * readEscape(bits)
    }
  }
}

/** Magnitudes of coefficients before scaling: the quantiser compresses them by the power of 3/4. */
const magnitudes = Float64Array.from({ length: 8192 + 64 }, (_, value) => value ** (4 / 3))
/** Gains of scale factors; 100 is the neutral one, and full scale is 32,768. */
const gains = Float64Array.from({ length: 256 }, (_, scale) => 2 ** ((scale - 100) / 4) / 32_768)

const readSpectrum = (
  bits: BitReader,
  { sequence, groups, offsets, maxBand }: WindowInfo,
  { books, scales, pulses }: { books: Uint8Array; scales: Int16Array; pulses: readonly Pulse[] },
): Float64Array => {
  const quantised = new Int16Array(frameSize)
  const spectrum = new Float64Array(frameSize)
  const windowSize = sequence === windows.short ? shortSize : frameSize
  // All coefficients are read before pulses are added, and scaled after that.
  for (let pass = 0; pass < 2; pass++) {
    let firstWindow = 0
    for (const [group, length] of groups.entries()) {
      for (let band = 0; band < maxBand; band++) {
        const book = books[bandIndex(group, band)] ?? 0
        if (book === 0 || book >= noiseBook) continue
        const gain = gains[scales[bandIndex(group, band)] ?? 0] ?? 0
        for (let window = firstWindow; window < firstWindow + length; window++) {
          const from = window * windowSize + (offsets[band] ?? 0)
          const to = window * windowSize + (offsets[band + 1] ?? 0)
          if (pass === 0) readBand(bits, book, quantised, from, to)
          else
            for (let at = from; at < to; at++) {
              const value = quantised[at] ?? 0
              if (value !== 0) spectrum[at] = (value < 0 ? -1 : 1) * (magnitudes[Math.abs(value)] ?? 0) * gain
            }
        }
      }
      firstWindow += length
    }
    if (pass === 1) break
    for (const { at, amplitude } of pulses) {
      const value = quantised[at] ?? 0
      quantised[at] = value > 0 ? value + amplitude : value - amplitude
    }
  }
  return spectrum
}

/** Reads individual_channel_stream (ISO/IEC 14496-3, table 4.50); `shared` is the window info of a pair. */
export const readChannelStream = (bits: BitReader, bands: Bands, shared: WindowInfo | undefined): ChannelStream => {
  const globalGain = bits.read(8)
  const info = shared ?? readWindowInfo(bits, bands)
  const books = readBooks(bits, info)
  const scales = readScales(bits, info, books, globalGain)
  const pulses = readPulses(bits, info)
  const filters = readFilters(bits, info)
  if (bits.read(1)) throw unsupportedAac('AAC with gain control')
  const spectrum = readSpectrum(bits, info, { books, scales, pulses })
  return { info, books, scales, spectrum, filters }
}
