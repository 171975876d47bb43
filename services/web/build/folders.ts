import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
export const webRoot = fileURLToPath(new URL('../', import.meta.url))

/** Where `npm start` writes the build and the edge looks for it; not in git. */
export const buildFolder = fileURLToPath(new URL('../../../node_modules/.cache/web/', import.meta.url))
