#!/usr/bin/env node
import { join } from 'node:path'
import { baseConfig, readConfig } from '@trellis/kit/config'
import { logsConfig } from '../../config.ts'
import { runFormatsCommand } from './run-command.ts'

const { formatsDirectory, dataDirectory } = readConfig(
  { formatsDirectory: logsConfig.formatsDirectory, dataDirectory: baseConfig.dataDirectory },
  process.env,
)
process.exitCode = await runFormatsCommand({
  words: process.argv.slice(2),
  formatsDirectory: formatsDirectory ?? join(dataDirectory, 'formats'),
  print: (line) => void process.stdout.write(`${line}\n`),
  now: Date.now(),
})
