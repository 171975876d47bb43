import { blocksOf, type StoredAudio } from '../audio/stored-audio.ts'

/** A context whose loudest samples are below this (-66 dB) is silence. */
export const silence = 0.0005

const silent = 'The audio is silent: there is nothing to continue from.'
const cancelled =
  'The channels cancel each other out, so nothing is heard in mono: invert the polarity of one of them, and upload the piece again.'

/** Why a piece that is silent in mono cannot be continued. The mean of two channels is at least half of one that is alone. */
export const whySilent = async (context: StoredAudio, signal?: AbortSignal): Promise<string> => {
  for await (const block of blocksOf(context, signal))
    if (block.some((channel) => channel.some((value) => Math.abs(value) > 4 * silence))) return cancelled
  return silent
}
