import type { Theme } from './promised.ts'
import { endpoints } from './requirements/endpoints.ts'
import { resources } from './requirements/resources.ts'
import { rules } from './requirements/rules.ts'

/** What is promised, in the order of the specification; its chapters lie in the folder. */
export const themes: readonly Theme[] = [...resources, ...endpoints, ...rules]

/** What is promised and not there yet, and why. */
export const notYet: readonly (readonly [promise: string, why: string])[] = [
  [
    '`GET {prefix}/assets/*`, `GET {prefix}/{path}`: the web app and its files',
    'The web app is a package of its own, which does not exist yet; `GET /` leads to the API document until then.',
  ],
]
