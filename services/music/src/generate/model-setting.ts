/** The setting that names the folder of the model. */
export const modelSetting = 'MUSIC_MODEL'

/** Why there is no model. */
export const noModel =
  'No model is installed here: use the generator "recombine" or "auto". MUSIC_MODEL names the folder of one.'

/** Length of the context of a model by default, in seconds. */
export const usualContextSeconds = 10
