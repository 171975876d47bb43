import { toFailure } from './failure.ts'

/** Resolves also when the answer is 404: what another tab or user has removed meanwhile is removed. */
export const removal = async (request: Promise<unknown>): Promise<void> => {
  try {
    await request
  } catch (error) {
    if (toFailure(error).status !== 404) throw error
  }
}
