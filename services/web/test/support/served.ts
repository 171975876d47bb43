import { buildFolder, buildWeb } from '@trellis/web/build'
import { startCloud } from '../../../../test/support/cloud.ts'
import { startTrellis, type TrellisOptions } from '../../../../test/support/trellis.ts'

/** Starts Trellis with the web app of this checkout, built if its sources have changed. */
export const startWithPages = async (environment: Record<string, string> = {}, options?: TrellisOptions) => {
  await buildWeb()
  return startTrellis({ TRELLIS_WEB_DIR: buildFolder, ...environment }, options)
}

/** The same in cloud mode, where users have tiers. */
export const startCloudWithPages = async (environment: Record<string, string> = {}) => {
  await buildWeb()
  return startCloud({ TRELLIS_WEB_DIR: buildFolder, ...environment })
}
