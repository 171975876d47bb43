import type { Theme } from './promised.ts'
import { endpoints } from './requirements/endpoints.ts'
import { resources } from './requirements/resources.ts'
import { rules } from './requirements/rules.ts'

/** All promises in the order of the specification, from the modules of the folder. */
export const themes: readonly Theme[] = [...resources, ...endpoints, ...rules]

/** Promises that are not implemented yet, and why. */
export const notYet: readonly (readonly [promise: string, why: string])[] = [
  [
    '`GET {prefix}/assets/*`, `GET {prefix}/{path}`: the web app and its files',
    'The web app is a separate package, which does not exist yet; until then, `GET /` redirects to the API document.',
  ],
]
