import type { DeviceChoice } from '../../onnx/devices.ts'
import { readModelFolder } from './manifest.ts'
import { type MusicModel, openModel } from './open-model.ts'

/** Opens models, and retains the latest one for the next continuation: loading takes seconds, and memory has no room for two. */
export type ModelCache = {
  /** Throws ModelUnusable. */
  readonly open: (folder: string) => Promise<MusicModel>
  /** Releases the memory of the model that is open. */
  readonly close: () => Promise<void>
}

export const createModelCache = (device: DeviceChoice): ModelCache => {
  let latest: { readonly key: string; readonly model: Promise<MusicModel> } | undefined
  const close = async (): Promise<void> => {
    const closed = latest
    latest = undefined
    const model = await closed?.model.catch(() => undefined)
    await model?.[Symbol.asyncDispose]()
  }
  return {
    close,
    open: async (folder) => {
      const found = await readModelFolder(folder)
      const key = `${folder}\n${found.version}`
      if (latest?.key === key) return latest.model
      const model = close().then(() => openModel(found, device))
      const entry = { key, model }
      latest = entry
      try {
        return await model
      } catch (error) {
        // A failure is not retained.
        if (latest === entry) latest = undefined
        throw error
      }
    },
  }
}
