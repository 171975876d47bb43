/** Where the samples of a WAV file are, and their form. */
export type WavFormat = {
  channels: number
  sampleRate: number
  bytesPerSample: number
  dataStart: number
  dataBytes: number
}

/** The header of a WAV file is within its first bytes: this many are enough for those of the service. */
export const headerBytes = 256

const textAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)))

/** Reads the format from the first bytes of a PCM WAV file. Throws for other content. */
export const readHeader = (bytes: ArrayBuffer): WavFormat => {
  const view = new DataView(bytes)
  if (bytes.byteLength < 44 || textAt(view, 0) !== 'RIFF' || textAt(view, 8) !== 'WAVE')
    throw new Error('The audio is not a WAV file.')
  let format: Omit<WavFormat, 'dataStart' | 'dataBytes'> | undefined
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const size = view.getUint32(at + 4, true)
    const kind = textAt(view, at)
    if (kind === 'fmt ')
      format = {
        channels: view.getUint16(at + 10, true),
        sampleRate: view.getUint32(at + 12, true),
        bytesPerSample: view.getUint16(at + 22, true) / 8,
      }
    if (kind === 'data' && format) return { ...format, dataStart: at + 8, dataBytes: size }
    at += 8 + size + (size % 2)
  }
  throw new Error('The audio has no samples.')
}

/** Samples of 16 or 24 bits as numbers from -1 to 1, by channel. */
export const readSamples = (
  bytes: ArrayBuffer,
  { channels, bytesPerSample }: WavFormat,
): Float32Array<ArrayBuffer>[] => {
  const view = new DataView(bytes)
  const frames = Math.floor(bytes.byteLength / (channels * bytesPerSample))
  const read =
    bytesPerSample === 3
      ? (at: number) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608
      : (at: number) => view.getInt16(at, true) / 32_768
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame += 1) samples[frame] = read((frame * channels + channel) * bytesPerSample)
    return samples
  })
}
