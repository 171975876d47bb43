import { describe, expect, test } from 'vitest'
import { compileGlob, isGlob, splitGlob } from './glob.ts'

describe('a glob', () => {
  test.each<[string, string[], string[]]>([
    ['*.log', ['app.log', 'é.log'], ['app.log.1', '.hidden.log', 'web/app.log', 'applog']],
    ['a?c', ['abc', 'a.c', 'aßc'], ['ac', 'a/c', 'abbc']],
    ['?b', ['ab'], ['.b']],
    ['web/*/a*.log', ['web/one/app.log'], ['web/app.log', 'web/one/two/app.log', 'web/.one/app.log']],
    ['**/error.log', ['error.log', 'web/error.log', 'web/one/error.log'], ['web/.git/error.log', 'my-error.log']],
    ['web/**', ['web/a', 'web/one/a.log'], ['other/a', 'web/.a']],
    ['web/**/*.log', ['web/a.log', 'web/one/two/a.log'], ['web/a.txt', 'a.log']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['app-[0-9].log', ['app-7.log'], ['app-x.log', 'app-10.log']],
    ['[!a-c]*', ['dog'], ['ant', '.dog', '/dog']],
    ['[[:digit:]].log', ['7.log'], ['x.log']],
    ['x[', ['x['], ['x']],
    ['[z-a]', ['[z-a]'], ['m']],
    ['{app,web}.{log,txt}', ['app.log', 'web.txt'], ['app.out', 'app']],
    ['{a,{b,c}d}.log', ['a.log', 'bd.log', 'cd.log'], ['b.log']],
    ['{*,.x}.log', ['a.log', '.x.log'], ['.y.log']],
    ['day{1..12}', ['day1', 'day12'], ['day13', 'day0']],
    ['{alone}', ['{alone}'], ['alone']],
    ['@(app|web)+(1|2)', ['app1', 'web2121'], ['app', 'app3']],
    ['a?(b)c', ['ac', 'abc'], ['abbc']],
    ['a*(bc)', ['a', 'abcbc'], ['abc1']],
    ['!*.gz', ['a.log'], ['a.gz']],
    ['!(*.gz|*.zst)', ['a.log'], ['a.gz', 'a.zst']],
    ['./a', ['a'], ['./a']],
    ['a\\*b', ['a*b'], ['axb']],
    ['a.b+c(d)|e^$', ['a.b+c(d)|e^$'], ['axb+c(d)|e^$']],
  ])('%s matches %j, and none of %j', (pattern, matched, others) => {
    const matches = compileGlob(pattern)
    expect([...matched, ...others].filter(matches)).toEqual(matched)
  })

  test('wildcards match a leading dot where that is requested', () => {
    for (const pattern of ['*.log', '?x.log', '**', '[!a]x.log'])
      expect(compileGlob(pattern, { dot: true })('.x.log'), pattern).toBe(true)
  })

  test.each([
    '*a'.repeat(20),
    `${'*(*)'.repeat(8)}b`,
    `+(${'*a*|'.repeat(6)}x)b`,
    `${'{,a}'.repeat(40)}b`,
    `${'**/'.repeat(30)}b`,
    '{'.repeat(4_000),
    '[a'.repeat(2_000),
    '@('.repeat(2_000),
  ])('%s is matched in linear time, which would stall an engine that backtracks', (pattern) => {
    const matches = compileGlob(pattern)
    expect(['a', 'a/', '*'].map((part) => matches(`${part.repeat(120)}!`))).toEqual([false, false, false])
  })

  test('has at most a thousand members in its ranges, further ones are literal text', () => {
    const [few, many] = [compileGlob('{1..500}-{1..500}'), compileGlob('{1..999}-{1..999}')]
    expect([few('7-500'), many('999-{1..999}'), many('7-7')]).toEqual([true, true, false])
  })

  test('is split into the folder that contains the selected files, and the rest', () => {
    expect(splitGlob('/var/log/app.log')).toEqual({ base: '/var/log/app.log', glob: '' })
    expect(splitGlob('/var/log/*/a*.log')).toEqual({ base: '/var/log', glob: '*/a*.log' })
    expect(splitGlob('/*.log')).toEqual({ base: '/', glob: '*.log' })
    expect(splitGlob('/a\\*b/{c/d,e}')).toEqual({ base: '/a*b', glob: '{c/d,e}' })
    expect(['/a/b[1].log', '/a/@(b|c)', '/a/?', '/a/b(1).log', '/a/\\*', '/a/b]'].map(isGlob)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
