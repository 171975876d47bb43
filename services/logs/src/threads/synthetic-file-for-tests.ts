/** A synthetic file for tests of the engine: numbered lines, in chunks that do not end at line ends. */
export const linesInAll = 40_000
export const totalChunks = 40

const line = (number: number) =>
  `2024-06-04T15:${String(Math.floor(number / 60) % 60).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}Z INFO made line n${number} of a file\n`

let whole: Buffer | undefined
const content = () => (whole ??= Buffer.from(Array.from({ length: linesInAll }, (_, number) => line(number)).join('')))

export const chunkOf = (chunk: number): Uint8Array<ArrayBuffer> => {
  const size = Math.ceil(content().length / totalChunks)
  return Uint8Array.from(content().subarray(chunk * size, (chunk + 1) * size))
}
