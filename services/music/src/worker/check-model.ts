import { AudioResult, type CheckModelTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { tryModel } from '../generate/model/try-model.ts'
import { modelSetting } from '../generate/model-setting.ts'
import type { TaskDependencies } from './pieces.ts'
import { readableModel } from './readable-model.ts'

/** Loads a model and tries it, so that one that cannot be used is reported before it is requested. */
export const checkModel = async ({ model }: CheckModelTask, { models }: TaskDependencies): Promise<AudioResult> => {
  try {
    const opened = await models.open(model)
    await tryModel(opened)
    return AudioResult.fromPartial({ sampleRate: opened.manifest.sample_rate, channels: opened.manifest.channels })
  } catch (error) {
    throw readableModel(error, modelSetting)
  } finally {
    await models.close()
  }
}
