import { EngineFailed, type LogPart } from './engine.ts'

const headBytes = 8
const systemError = 3
/** A frame is one message of the engine's log driver: by default at most 16 KiB and a time. */
const maxFrameBytes = 4 * 1024 * 1024

/**
 * Separates the frames of stdout and stderr (Docker Engine API, "Attach to a container", stream format): the stream's number, three zeros, the
 * size as 32 bits big-endian, the bytes. Number 3 is an error of the engine while it reads the log. Throws EngineFailed for that, and for an
 * invalid or truncated frame.
 */
export async function* readFrames(chunks: AsyncIterable<Buffer>, partsAreFull: boolean): AsyncGenerator<LogPart> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= headBytes) {
      const number = rest[0]
      const size = rest.readUInt32BE(4)
      if (number === undefined || number > systemError || size > maxFrameBytes)
        throw new EngineFailed('The engine sends logs in an unknown format.')
      if (rest.length < headBytes + size) break
      const bytes = rest.subarray(headBytes, headBytes + size)
      rest = rest.subarray(headBytes + size)
      if (number === systemError)
        throw new EngineFailed(`The engine reports an error: ${bytes.toString('utf8').trim()}`)
      yield { kind: 'frame', stream: number === 2 ? 'stderr' : 'stdout', bytes, partsAreFull }
    }
  }
  if (rest.length > 0) throw new EngineFailed('The logs of the engine are truncated.')
}
