import { startCloud } from '@trellis/test/support/cloud'
import { startTrellis, type TrellisOptions } from '@trellis/test/support/trellis'
import { buildFolder, buildWeb } from '@trellis/web/build'

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
