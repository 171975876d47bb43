import { resamplerBetween } from '../../audio/resample.ts'
import type { StoredAudio } from '../../audio/stored-audio.ts'

/** A piece at another sample rate, computed on read. The samples of a range do not depend on the range that they are read in. */
export const resampledAudio = (audio: StoredAudio, sampleRate: number): StoredAudio => {
  if (audio.sampleRate === sampleRate) return audio
  const { create, up, down, reach } = resamplerBetween(audio.sampleRate, sampleRate, 'listening')
  const frames = Math.ceil((audio.frames * up) / down)
  return {
    sampleRate,
    channels: audio.channels,
    frames,
    async read(start, count) {
      const from = Math.max(0, start)
      const to = Math.max(from, Math.min(frames, start + count))
      // Begins at a whole number of the resampler's phase periods, early enough for its filter.
      const periods = Math.max(0, Math.floor((Math.floor((from * down) / up) - reach) / down))
      const first = periods * down
      const last = Math.min(audio.frames, Math.ceil((to * down) / up) + reach + 1)
      const source = await audio.read(first, last - first)
      const skipped = from - periods * up
      return source.map((channel) => {
        const resampler = create()
        const whole = new Float32Array(skipped + to - from)
        const body = resampler.push(channel).subarray(0, whole.length)
        whole.set(body)
        whole.set(resampler.flush().subarray(0, whole.length - body.length), body.length)
        return whole.subarray(skipped)
      })
    },
  }
}
