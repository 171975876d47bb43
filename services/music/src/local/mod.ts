export { musicConfig } from '../config.ts'
export {
  type AudioFormat,
  type GeneratorName,
  type LocalAnalysis,
  type LocalAudio,
  type LocalPiece,
  type LocalStem,
  type LocalTake,
  openLocalAudio,
} from './local-audio.ts'
