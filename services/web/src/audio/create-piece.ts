import { type CallOptions, call } from '../api/client.ts'
import { loadPart } from '../ui/load-part.ts'
import { nameOf } from './piece-name.ts'

export const loadExampleTune = () => import('./example-tune.ts')

/** Uploads a piece, named after its file; returns the path of its page. */
export const createPiece = async (file: Blob, fileName: string, options: CallOptions = {}): Promise<string> => {
  const form = new FormData()
  form.append('file', file, fileName)
  form.append('name', nameOf(fileName))
  const { chain_id: id } = await call('POST /music/api/chains', { body: form }, options)
  return `/music/chains/${encodeURIComponent(id)}`
}

/** Uploads the example tune; returns the path of its page. */
export const createExample = async (): Promise<string> => {
  const { exampleTune, toWav } = await loadPart(loadExampleTune)
  return createPiece(new Blob([toWav(exampleTune())], { type: 'audio/wav' }), 'Example tune.wav')
}
