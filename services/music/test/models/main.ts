/**
 * `node services/music/test/models/main.ts FOLDER`: trains two small models on music of our own, in some seconds, and writes them
 * as FOLDER/autoregressive and FOLDER/latent, each for `MUSIC_MODEL`.
 */
import { resolve } from 'node:path'
import { makeModels } from './make-models.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder to write the models into.')
await makeModels(resolve(folder))
process.stdout.write(`${resolve(folder)}\n`)
