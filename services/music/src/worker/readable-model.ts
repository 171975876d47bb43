import { serviceError } from '@trellis/kit/errors'
import { ModelUnusable } from '../onnx/model-unusable.ts'

/** Reports a model that cannot be used to the user, as the reason of the failure. `setting` names the model. */
export const readableModel = (error: unknown, setting: string): unknown =>
  error instanceof ModelUnusable
    ? serviceError('invalid', `The model of ${setting} cannot be used. ${error.message}`, { cause: error })
    : error
