import { fetchRange } from '../api/client.ts'
import { type Part, partsBetween, pieces, type Segment, totalSeconds } from './segments.ts'
import { headerBytes, readHeader, readSamples, type WavFormat } from './wav.ts'

/** Seconds of audio that are fetched at once, and how far ahead of the playback. */
const pieceSeconds = 4
const aheadSeconds = 10
/** Time to schedule the first piece, in seconds. */
const leadSeconds = 0.05

export type Playing = { what: string; position: number; isLoading: boolean }

/**
 * Plays segments of WAV files one after another without a gap, to the sample: samples are fetched by range and scheduled, so that memory stays small
 * whatever the length. One thing plays at a time.
 */
export const createPlayer = () => {
  let what = $state<string | undefined>(undefined)
  let position = $state(0)
  let isLoading = $state(false)
  let failure = $state<string | undefined>(undefined)
  let context: AudioContext | undefined
  let current:
    | { stop: AbortController; sources: Set<AudioBufferSourceNode>; began: number; from: number; to: number }
    | undefined
  let frame = 0
  const formats = new Map<string, Promise<WavFormat>>()

  const formatOf = (url: string, signal: AbortSignal): Promise<WavFormat> => {
    const known = formats.get(url)
    if (known !== undefined) return known
    const read = fetchRange(url, 0, headerBytes, signal).then(readHeader)
    formats.set(url, read)
    read.catch(() => formats.delete(url))
    return read
  }

  const bufferOf = async (
    audio: AudioContext,
    { url, from, to }: Part,
    signal: AbortSignal,
  ): Promise<AudioBuffer | undefined> => {
    const format = await formatOf(url, signal)
    const frameBytes = format.channels * format.bytesPerSample
    const frames = Math.floor(format.dataBytes / frameBytes)
    const [first, last] = [from, to].map((seconds) => Math.min(frames, Math.round(seconds * format.sampleRate)))
    if (first === undefined || last === undefined || last <= first) return undefined
    const bytes = await fetchRange(
      url,
      format.dataStart + first * frameBytes,
      format.dataStart + last * frameBytes,
      signal,
    )
    const buffer = audio.createBuffer(format.channels, last - first, format.sampleRate)
    for (const [channel, samples] of readSamples(bytes, format).entries()) buffer.copyToChannel(samples, channel)
    return buffer
  }

  const stop = (): void => {
    current?.stop.abort()
    for (const source of current?.sources ?? []) source.stop()
    current = undefined
    cancelAnimationFrame(frame)
    what = undefined
    isLoading = false
  }

  const follow = (): void => {
    if (!current || !context) return
    if (!isLoading) position = Math.min(current.to, current.from + Math.max(0, context.currentTime - current.began))
    if (position >= current.to) {
      stop()
      return
    }
    frame = requestAnimationFrame(follow)
  }

  const play = async (
    name: string,
    segments: readonly Segment[],
    from = 0,
    to = totalSeconds(segments),
    gain = 1,
  ): Promise<void> => {
    stop()
    failure = undefined
    context ??= new AudioContext()
    const audio = context
    void audio.resume()
    const abort = new AbortController()
    const playing = { stop: abort, sources: new Set<AudioBufferSourceNode>(), began: 0, from, to }
    current = playing
    what = name
    position = from
    isLoading = true
    frame = requestAnimationFrame(follow)
    const output = audio.createGain()
    output.gain.value = gain
    output.connect(audio.destination)
    try {
      let next = 0
      for (const piece of pieces(partsBetween(segments, from, to), pieceSeconds)) {
        const buffer = await bufferOf(audio, piece, abort.signal)
        if (abort.signal.aborted) return
        if (!buffer) continue
        if (isLoading || next < audio.currentTime) {
          // The first piece, or the network was slower than the music.
          const shift = next === 0 ? 0 : audio.currentTime - next
          next = audio.currentTime + leadSeconds
          playing.began = playing.began === 0 ? next : playing.began + shift + leadSeconds
          isLoading = false
        }
        const source = audio.createBufferSource()
        source.buffer = buffer
        source.connect(output)
        source.onended = () => playing.sources.delete(source)
        source.start(next)
        playing.sources.add(source)
        next += buffer.duration
        while (next - audio.currentTime > aheadSeconds && !abort.signal.aborted)
          await new Promise((resolve) => setTimeout(resolve, 200))
      }
      // Nothing could be played, such as a stretch behind the end.
      if (isLoading && !abort.signal.aborted) stop()
    } catch (error) {
      if (abort.signal.aborted) return
      stop()
      failure = error instanceof Error ? error.message : String(error)
    }
  }

  return {
    get what() {
      return what
    },
    get position() {
      return position
    },
    get isLoading() {
      return isLoading
    },
    get failure() {
      return failure
    },
    /** Plays `name`, or stops if it plays already. */
    toggle: (name: string, segments: readonly Segment[], from = 0, to = totalSeconds(segments), gain = 1): void => {
      if (what === name) stop()
      else void play(name, segments, from, to, gain)
    },
    play,
    stop,
    close: (): void => {
      stop()
      void context?.close()
    },
  }
}
export type Player = ReturnType<typeof createPlayer>
