import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { autoregressiveModel } from './autoregressive-model.ts'
import { learnFrames } from './frame-codec.ts'
import { latentModel } from './latent-model.ts'

export type ModelKind = 'autoregressive' | 'latent'

/**
 * Trains a small model of each kind on music of our own and writes them into folders of these names. The folder is there
 * completely or not at all; one that exists already is not changed.
 */
export const makeModels = async (folder: string): Promise<void> => {
  const learned = learnFrames()
  const models = { autoregressive: autoregressiveModel(learned), latent: latentModel(learned) }
  const unfinished = `${folder}.${process.pid}.${performance.now()}`
  try {
    for (const [kind, files] of Object.entries(models)) {
      await mkdir(join(unfinished, kind), { recursive: true })
      for (const [name, content] of Object.entries(files)) await writeFile(join(unfinished, kind, name), content)
    }
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** Sources that determine the models. */
const sources = ['services/music/test/models', 'services/model-runtime/onnx-graph']
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The folder of the small models, which are trained once for a version of their sources. */
export const smallModels = async (): Promise<Record<ModelKind, string>> => {
  const digest = createHash('sha256')
  for (const folder of sources)
    for (const name of (await readdir(join(root, folder))).toSorted())
      digest.update(await readFile(join(root, folder, name)))
  const folder = join(root, 'node_modules', '.cache', 'trellis-models', digest.digest('hex').slice(0, 16))
  if (!(await exists(folder))) {
    try {
      await makeModels(folder)
    } catch (error) {
      // Another process may have been faster.
      if (!(await exists(folder))) throw error
    }
  }
  return { autoregressive: join(folder, 'autoregressive'), latent: join(folder, 'latent') }
}
