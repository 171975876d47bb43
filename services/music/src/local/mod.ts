export { musicConfig } from '../config.ts'
export {
  type AudioFormat,
  type GeneratorName,
  type LocalAudio,
  type LocalPiece,
  type LocalRhythm,
  type LocalStem,
  type LocalTake,
  openLocalAudio,
} from './local-audio.ts'
