/** A model that cannot be used. The message names the file and what is wrong with it. */
export class ModelUnusable extends Error {
  override name = 'ModelUnusable'
}
