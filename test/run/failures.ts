import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const maxCharacters = 6_000

type Failure = { message: string; stack?: string | undefined; diff?: string | undefined }

/** What is known of a failure: its message, the difference, and where the test was. */
export const failureText = ({ message, stack, diff }: Failure): string => {
  const place = stack?.split('\n').find((line) => line.includes('.test.ts'))
  const text = [message, diff, place?.trim()].filter((part) => part !== undefined && part !== '').join('\n')
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …` : text
}

/** A vitest reporter that prints each failure as soon as it is known: vitest does at the end, which an interrupted run never reaches. */
export default class FailuresReporter implements Reporter {
  #root = ''

  onInit({ config }: { config: { root: string } }) {
    this.#root = config.root
  }

  #print(module: TestModule, name: string, errors: readonly Failure[]) {
    for (const error of errors)
      process.stdout.write(`\nfailed: ${relative(this.#root, module.moduleId)}${name}\n${failureText(error)}\n\n`)
  }

  onTestCaseResult(test: TestCase) {
    const { state, errors } = test.result()
    if (state === 'failed') this.#print(test.module, ` > ${test.fullName}`, errors ?? [])
  }

  onTestModuleEnd(module: TestModule) {
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
    this.#print(module, '', [...module.errors(), ...suites])
  }
}
