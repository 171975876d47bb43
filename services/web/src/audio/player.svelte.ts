import { fetchRange } from '../api/client.ts'
import { type Part, partsBetween, type Segment, totalSeconds, windowsOf } from './segments.ts'
import { headerBytes, readHeader, readSamples, type WavFormat } from './wav.ts'

/** Seconds of audio that are fetched at once, and how far ahead of the playback. */
const pieceSeconds = 4
const aheadSeconds = 10
/** Time to schedule the first piece, in seconds. */
const leadSeconds = 0.05
/** How fast a track becomes louder or quieter: at once to the ear, and without a click. */
const fadeSeconds = 0.01

/** Consecutive segments, and how loud they are: 0 is silent, 1 unchanged. */
export type Track = { segments: readonly Segment[]; gain: number }

/** A context at the rate of the audio if the browser has one: resampled pieces would click where they join. */
const contextAt = (sampleRate: number | undefined): AudioContext => {
  try {
    return new AudioContext(sampleRate === undefined ? {} : { sampleRate })
  } catch {
    return new AudioContext()
  }
}

/**
 * Plays segments of WAV files one after another without a gap, to the sample: samples are fetched by range and scheduled, so that memory stays small
 * whatever the length. One thing plays at a time: a track, or several on one clock.
 */
export const createPlayer = (sampleRate: () => number | undefined = () => undefined) => {
  let what = $state<string | undefined>(undefined)
  let position = $state(0)
  let isLoading = $state(false)
  let failure = $state<string | undefined>(undefined)
  let context: AudioContext | undefined
  let current:
    | {
        stop: AbortController
        sources: Set<AudioBufferSourceNode>
        outputs: readonly GainNode[]
        began: number
        from: number
        to: number
      }
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

  const outputOf = (audio: AudioContext, gain: number): GainNode => {
    const output = audio.createGain()
    output.gain.value = gain
    output.connect(audio.destination)
    return output
  }

  /** Plays tracks at once, from and to the same times of each; `setGains` chooses the audible ones. */
  const playTogether = async (
    name: string,
    tracks: readonly Track[],
    from = 0,
    to = Math.max(...tracks.map(({ segments }) => totalSeconds(segments))),
  ): Promise<void> => {
    stop()
    failure = undefined
    context ??= contextAt(sampleRate())
    const audio = context
    void audio.resume()
    const abort = new AbortController()
    const sources = new Set<AudioBufferSourceNode>()
    const outputs = tracks.map(({ gain }) => outputOf(audio, gain))
    const playing = { stop: abort, sources, outputs, began: 0, from, to }
    current = playing
    what = name
    position = from
    isLoading = true
    frame = requestAnimationFrame(follow)
    /** Schedules consecutive buffers; returns when the last one ends. */
    const schedule = (buffers: readonly (AudioBuffer | undefined)[], output: GainNode, start: number): number => {
      let at = start
      for (const buffer of buffers) {
        if (!buffer) continue
        const source = audio.createBufferSource()
        source.buffer = buffer
        source.connect(output)
        source.onended = () => sources.delete(source)
        source.start(at)
        sources.add(source)
        at += buffer.duration
      }
      return at
    }
    try {
      let next = 0
      for (const window of windowsOf(from, to, pieceSeconds)) {
        const loaded = await Promise.all(
          tracks.map(({ segments }) =>
            Promise.all(
              partsBetween(segments, window.from, window.to).map((part) => bufferOf(audio, part, abort.signal)),
            ),
          ),
        )
        if (abort.signal.aborted) return
        if (!loaded.flat().some(Boolean)) continue
        if (isLoading || next < audio.currentTime) {
          // The first window, or the network was slower than the music.
          const shift = next === 0 ? 0 : audio.currentTime - next
          next = audio.currentTime + leadSeconds
          playing.began = playing.began === 0 ? next : playing.began + shift + leadSeconds
          isLoading = false
        }
        const start = next
        for (const [index, output] of outputs.entries())
          next = Math.max(next, schedule(loaded[index] ?? [], output, start))
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

  const play = (name: string, segments: readonly Segment[], from?: number, to?: number): Promise<void> =>
    playTogether(name, [{ segments, gain: 1 }], from, to)

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
    toggle: (name: string, segments: readonly Segment[], from?: number, to?: number): void => {
      if (what === name) stop()
      else void play(name, segments, from, to)
    },
    play,
    playTogether,
    /** Changes how loud each track of what plays is, while it goes on. */
    setGains: (gains: readonly number[]): void => {
      if (!current || !context) return
      for (const [index, { gain }] of current.outputs.entries())
        gain.setTargetAtTime(gains[index] ?? 0, context.currentTime, fadeSeconds / 3)
    },
    stop,
    close: (): void => {
      stop()
      void context?.close()
    },
  }
}
export type Player = ReturnType<typeof createPlayer>
