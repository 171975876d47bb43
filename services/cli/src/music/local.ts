import { readConfig } from '@trellis/kit/config'
import type { LocalAudio } from '@trellis/music/local'
import type { Surroundings } from '../command.ts'

/** Opens the music service's own code on a folder, with its settings from the environment. It is loaded when it is needed. */
export const openAudio = async (
  directory: string,
  { environment, signal }: Pick<Surroundings, 'environment' | 'signal'>,
): Promise<LocalAudio> => {
  const { musicConfig, openLocalAudio } = await import('@trellis/music/local')
  return openLocalAudio({ directory, config: readConfig(musicConfig, environment), signal })
}

/** Shows the share of a piece of work that is done, of several parts that are done at the same time. */
export const sharedProgress = (words: string, parts: number, show: Surroundings['progress']) => {
  const shares = Array.from({ length: parts }, () => 0)
  return (part: number) => (share: number) => {
    shares[part] = share
    const done = shares.reduce((sum, one) => sum + one, 0) / parts
    show(`${words} ${Math.floor(100 * done)} %`)
  }
}
