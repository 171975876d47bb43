import { describe, expect, test } from 'vitest'
import { severityCode } from '../entries/severity-code.ts'
import { describeEntry } from './describe-entry.ts'
import { createLineReader } from './detect.ts'
import { createHeader } from './header.ts'
import { parseForTests as parse } from './parse-for-tests.ts'
import { guessSeverity } from './severity-guess.ts'
import { utc } from './zone.ts'

const java = `2024-01-24T07:00:30,139 ERROR [main] org.example.App: no luck
java.lang.IllegalStateException: no luck
\tat org.example.App.main(App.java:7)
Caused by: java.io.IOException: gone
\t... 12 more
2024-01-24T07:00:31,139 INFO [main] org.example.App: goes on
`

const python = `INFO:root:ready
ERROR:root:it broke
Traceback (most recent call last):
  File "x.py", line 1, in <module>
    raise ValueError("no")
ValueError: no
INFO:root:ready again
`

const go = `listening
panic: runtime error: index out of range [1]

goroutine 1 [running]:
main.main()
\t/src/main.go:7 +0x1d
exit status 2
listening
`

describe('a file', () => {
  test('a Java trace is one entry with the line it belongs to', () => {
    const { entries, counts } = parse(java)
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 6])
    expect(entries[0]?.text.split('\n')).toHaveLength(5)
    expect(counts).toMatchObject({ lines: 6, entries: 2, joined: 4, formats: { log4j: 6 } })
  })

  test('a Python trace goes up to the line that names the exception', () => {
    const { entries } = parse(python)
    expect(entries.map(({ text }) => text.split('\n').length)).toEqual([1, 5, 1])
    expect(entries[1]?.text.endsWith('ValueError: no')).toBe(true)
  })

  const trace = (name: string) => `Traceback (most recent call last):
  File "x.py", line 1, in <module>
${name}: no
`
  const linkedTraces = `${trace('KeyError')}
During handling of the above exception, another exception occurred:

${trace('ValueError')}`

  test.each([
    ['of Python', `${trace('KeyError')}${trace('ValueError')}${trace('KeyError')}`, [3, 3, 3]],
    ['of Python, after blank lines', `${trace('KeyError')}\n\n${trace('ValueError')}`, [3, 3]],
    ['of Python that belong together', `${linkedTraces}${trace('OSError')}`, [9, 3]],
    ['of Python below a header', `ERROR:root:it broke\n${trace('KeyError')}${trace('ValueError')}`, [4, 3]],
    ['of Java', `${'java.io.IOException: gone\n\tat a.B.c(B.java:7)\n'.repeat(3)}`, [2, 2, 2]],
    [
      'of a warning of Node.js',
      '(node:7) DeprecationWarning: old\n(Use `node --trace-deprecation ...` to show)\n',
      [2],
    ],
    ['of Java without frames', 'java.lang.NullPointerException\n'.repeat(3), [1, 1, 1]],
    [
      'of Java below a header',
      `${java.split('\n', 3).join('\n')}\njava.io.IOException: gone\n\tat a.B.c(B.java:7)\n`,
      [3, 2],
    ],
  ])('traces %s, one after another, are an entry each', (_, text, lines) => {
    const { entries } = parse(text)
    expect(entries.map((entry) => entry.text.split('\n').length)).toEqual(lines)
  })

  test.each([
    '2024-02-30T07:00:31Z',
    '[0000-00-00 00:00:00]',
    '2024-02-03 27:00:31',
    '2024-060T07:00:31Z',
    '20240230 07:00:31',
  ])('a line that begins with %s, which is no time, is an entry', (time) => {
    const { entries } = parse(
      `2024-01-24T07:00:30Z INFO ready\n${time} ERROR no luck\n2024-01-24T07:00:32Z INFO goes on\n`,
    )
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(entries[1]).toMatchObject({ time: null, text: `${time} ERROR no luck` })
  })

  test('a row of numbers below a header is no date', () => {
    const header = '2024-01-24T07:00:30Z INFO used:\n'
    const { entries } = parse(`${header}${header}${header}12345678 12.34\n20241234 12.34\n`)
    expect(entries.map(({ text }) => text.split('\n').length)).toEqual([1, 1, 3])
  })

  test('a Go panic keeps its goroutine, and the blank line in it', () => {
    const { entries } = parse(go)
    expect(entries.map(({ text }) => text.split('\n').length)).toEqual([1, 6, 1])
    expect(entries[1]?.text).toContain('[1]\n\ngoroutine 1')
  })

  test.each([
    [
      'Rust',
      [
        "thread 'main' panicked at src/shelf.rs:4:5:",
        'index out of bounds: the len is 3',
        'note: run with RUST_BACKTRACE=1',
      ],
      'CRITICAL',
    ],
    [
      'Node.js',
      [
        'node:internal/process/promises:391',
        '      throw error',
        '      ^',
        '',
        'Error: no room',
        '    at Shelf.put (/srv/shelf.js:7:5)',
        '',
        'Node.js v20.11.1',
      ],
      null,
    ],
    [
      'Go',
      [
        'fatal error: all goroutines are asleep - deadlock!',
        '',
        'goroutine 1 [chan receive]:',
        'main.main()',
        '\t/srv/shelf.go:7 +0x1b',
      ],
      'CRITICAL',
    ],
    [
      'Java',
      [
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        '\tat org.example.Shelf.main(Shelf.java:7)',
      ],
      null,
    ],
    [
      'Valgrind',
      [
        '==77== Invalid read of size 4',
        '==77==    at 0x10915E: main (shelf.c:7)',
        '==77==  Address 0x4a47068 is 0 bytes after a block',
      ],
      null,
    ],
  ] as const)('the end of a program of %s is one entry, whatever was written before it', (_, lines, severity) => {
    const log = [
      '2024-01-01 10:00:00,000 INFO [a] x: goes on',
      ...lines,
      '2024-01-01 10:00:01,000 INFO [a] x: restarted',
    ]
    const { entries } = parse(`${log.join('\n')}\n`)
    expect(entries.map(({ text }) => text)).toEqual([log[0], lines.join('\n'), log.at(-1)])
    if (severity !== null) expect(guessSeverity(entries[1]?.text ?? '')).toBe(severityCode[severity])
  })

  test('a stack of JavaScript goes with the entry before it, though it begins like a level', () => {
    const stack = ['Error: no room', '    at put (/srv/shelf.js:7:5) {', "  code: 'E_FULL'", '}'].join('\n')
    const log = `2024-05-01T10:20:30.123Z error: shelf fell\n${stack}\n2024-05-01T10:20:31.123Z info: next\nERROR at no time\n`
    expect(parse(log).entries.map(({ text }) => text)).toEqual([
      `2024-05-01T10:20:30.123Z error: shelf fell\n${stack}`,
      '2024-05-01T10:20:31.123Z info: next',
      'ERROR at no time',
    ])
  })

  test('the levels of a Java that speaks another language are known', () => {
    const lines = [
      'Feb. 03, 2024 1:20:30 AM org.example.App main',
      'SCHWERWIEGEND: kein Platz',
      'janv. 04, 2024 1:20:30 PM org.example.App main',
      'AVERTISSEMENT: bientôt plein',
    ]
    expect(parse(`${lines.join('\n')}\n`).entries.map(({ time, severity }) => [time, severity])).toEqual([
      ['2024-02-03T01:20:30.000Z', 'ERROR'],
      ['2024-01-04T13:20:30.000Z', 'WARN'],
    ])
  })

  test('a date in numbers has its order from whichever line of the file has a day past the twelfth', () => {
    const times = (...lines: string[]) => parse(`${lines.join('\n')}\n`).entries.map(({ time }) => time)
    expect(times('03/04/2024 10:00:00 one', '13/04/2024 10:00:00 two')).toEqual([
      '2024-04-03T10:00:00.000Z',
      '2024-04-13T10:00:00.000Z',
    ])
    expect(times('03-04-2024 10:00:00 one', '03-14-2024 10:00:00 two')).toEqual([
      '2024-03-04T10:00:00.000Z',
      '2024-03-14T10:00:00.000Z',
    ])
    expect(times('03/04/2024 01:00:00 PM one')).toEqual(['2024-03-04T13:00:00.000Z'])
    expect(times('03/04/2024 01:00:00 PM one', '13/04/2024 01:00:00 PM two')[0]).toBe('2024-04-03T13:00:00.000Z')
    expect(times('03/04/2024 10:00:00 one', '05/06/2024 10:00:00 two')).toEqual([null, null])
  })

  test("a year that the program writes is that of syslog's header, which has none", () => {
    const lines = [
      'Dec 31 23:59:59 attic shop[7]: {"level":"warn","msg":"late","time":"2016-12-31T22:59:58Z"}',
      'Jan  1 00:00:01 attic shop[7]: {"level":"warn","msg":"over the turn","time":"2016-12-31T23:00:00Z"}',
      'Jan  1 00:00:02 attic shop[7]: {"level":"warn","msg":"of long ago","time":"2003-07-07T00:00:00Z"}',
    ]
    expect(parse(`${lines.join('\n')}\n`).entries.map(({ time }) => time)).toEqual([
      '2016-12-31T23:59:59.000Z',
      '2017-01-01T00:00:01.000Z',
      '2025-01-01T00:00:02.000Z',
    ])
  })

  test('a line with a time of another kind, or a level in capitals, is an entry of its own and keeps its severity', () => {
    const own = [
      '2024-01-01 10:00:00,000 INFO [a] x: goes on',
      '240501 14:49:17 [Warning] no room',
      '2024-05-01 10:00:00 AM INFO before noon',
      '05/01/2024 03:04:05 PM ERROR after noon',
      '05/01/2024 15:04:05 ERROR at some time',
      'ERROR at no time',
      '[ERROR] nor here',
      'WARN  nor now',
    ]
    const { entries } = parse(`${own.join('\n')}\n`)
    expect(entries.map(({ text }) => text)).toEqual(own)
    expect(entries.map(({ severity }) => severity)).toEqual([
      null,
      'WARN',
      null,
      'ERROR',
      'ERROR',
      'ERROR',
      'ERROR',
      'WARN',
    ])
    expect(entries.map(({ time }) => time)).toEqual([
      '2024-01-01T10:00:00.000Z',
      '2024-05-01T14:49:17.000Z',
      '2024-05-01T10:00:00.000Z',
      '2024-05-01T15:04:05.000Z',
      null,
      null,
      null,
      null,
    ])
  })

  test('a trace is no entry of its own, whatever its lines begin with', () => {
    const text = [
      '2024-01-01 10:00:00,000 ERROR [a] x: no luck',
      'Traceback (most recent call last):',
      '  File "x.py", line 1, in <module>',
      'ValueError: ERROR is no number',
      'java.lang.IllegalStateException: WARN',
      '    at org.example.App.main(App.java:7)',
      'Caused by: java.io.IOException: ERROR',
      'Errors are counted',
      'Warning signs were there',
    ].join('\n')
    expect(parse(`${text}\n`).entries.map((entry) => entry.text)).toEqual([text])
  })

  test('in a log whose entries have headers, any other line goes with the one before', () => {
    const { entries } = parse(
      '2024-01-01 10:00:00,000 INFO [a] x: query\nSELECT 1\nFROM t\n2024-01-01 10:00:01,000 INFO [a] x: done\n',
    )
    expect(entries.map(({ text }) => text.split('\n').length)).toEqual([3, 1])
  })

  test('a header that announces its message has the next line, and the level there', () => {
    const { entries, counts } = parse(
      'May 01, 2024 1:20:30 PM org.example.App main\nSEVERE: no luck\nMay 01, 2024 1:20:31 PM org.example.App main\nINFO: goes on\n',
    )
    expect(entries.map(({ text }) => text.split('\n').length)).toEqual([2, 2])
    expect(entries.map(({ severity }) => severity)).toEqual(['ERROR', null])
    expect(counts.formats).toEqual({ 'java-util-logging': 4 })
  })

  test('a header that announces its message does not take an entry with a time of its own', () => {
    const { counts } = parse('fail: Shop.Cart[7]\n2024/03/01 09:15:02 [error] 71#71: no room\n')
    expect(counts.formats).toEqual({ 'dotnet-console': 1, 'nginx-error': 1 })
  })

  test('what a runtime of containers wrote in parts is one line of its stream', () => {
    const at = (second: number) => `2024-05-01T10:20:0${second}.123456789Z`
    const content = [
      `${at(1)} stdout P {"level":"error","ms`,
      `${at(1)} stderr F level=warn msg="in between" row=7`,
      `${at(1)} stdout P g":"no `,
      `${at(1)} stdout F room","ts":1714558801}`,
      `${at(2)} stdout P {"level":"info", breaks off`,
    ].join('\n')
    const { entries, counts } = parse(`${content}\n`)
    expect(entries.map(({ sequence, severity }) => [sequence, severity])).toEqual([
      [2, 'WARN'],
      [1, 'ERROR'],
      [5, null],
    ])
    expect(entries[1]?.text).toBe(`${at(1)} stdout P {"level":"error","msg":"no room","ts":1714558801}`)
    expect(counts).toMatchObject({ lines: 5, entries: 3, joined: 2, formats: { cri: 5 } })
    for (const cutAt of [1, 7, 64]) expect(parse(`${content}\n`, cutAt)).toEqual(parse(`${content}\n`))
    expect(parse(content, 64, 'plain').counts).toMatchObject({ entries: 5, joined: 0 })
  })

  test('a time of day is of the day that a directive before it names', () => {
    const { entries } = parse(
      '10:00:00 192.0.2.7 GET /\n#Date: 2024-05-01 10:20:00\n10:20:30 192.0.2.7 GET /\n#Date: 2024-05-02 00:00:00\n10:20:30 192.0.2.7 GET /\n',
    )
    expect(entries.map(({ time }) => time)).toEqual([
      null,
      '2024-05-01T10:20:00.000Z',
      '2024-05-01T10:20:30.000Z',
      '2024-05-02T00:00:00.000Z',
      '2024-05-02T10:20:30.000Z',
    ])
  })

  test('an access log has one entry a line, whatever the next line is', () => {
    const line = '192.0.2.7 - - [12/Jan/2024:03:56:14 +0000] "GET / HTTP/1.1" 200 5'
    expect(parse(`${line}\n  indented\n`).entries.map(({ format }) => format)).toEqual(['access-log', 'plain'])
  })

  const tracesOf = (lines: readonly string[]) => parse(`${lines.join('\n')}\n`).entries.map(({ text }) => text)
  const dockerLine = (log: string, stream = 'stderr', second = 0) =>
    JSON.stringify({ log: `${log}\n`, stream, time: `2024-05-01T10:00:0${second}.5Z` }).replaceAll('<', '\\u003c')

  test('a JSON object that is written over several lines is read as the object that it is', () => {
    const objects = [
      { MESSAGE: 'row 7 leans', PRIORITY: '4', __REALTIME_TIMESTAMP: '1714558830250000' },
      { level: 'error', time: '2024-05-01T10:20:31.250Z', msg: 'row 7 fell over', at: { row: 7 } },
    ].map((object) => JSON.stringify(object, null, 2))
    const { entries, counts } = parse(`${objects.join('\n')}\n{\n  no object\n}\nready\n`)
    expect(entries.map(({ text, time, severity, format }) => [text, time, severity, format])).toEqual([
      [objects[0], '2024-05-01T10:20:30.250Z', 'WARN', 'json-journald'],
      [objects[1], '2024-05-01T10:20:31.250Z', 'ERROR', 'json-slog'],
      ['{\n  no object\n}', null, null, 'plain'],
      ['ready', null, null, 'plain'],
    ])
    expect(counts).toMatchObject({ lines: 17, entries: 4, joined: 13 })
    expect(counts.formats).toEqual({ 'json-journald': 5, 'json-slog': 8, plain: 4 })
    expect(describeEntry('json-slog', objects[1] ?? '')).toMatchObject({
      message: 'row 7 fell over',
      fields: { level: 'error', at: { row: 7 } },
    })
  })

  test('what Docker wrote in parts that fill its buffer is one line of its stream', () => {
    const part = (log: string, stream = 'stdout') =>
      JSON.stringify({ log, stream, time: '2024-05-01T10:00:00.5Z' }).replaceAll('<', '\\u003c')
    const [first, second] = ['<x'.repeat(8 * 1024), 'y'.repeat(16 * 1024)]
    const lines = [
      part(first),
      part('ready\n', 'stderr'),
      part(second),
      part('z\n'),
      part('no line end'),
      part('next\n'),
    ]
    const { entries, counts } = parse(`${lines.join('\n')}\n`)
    expect(entries.map(({ text }) => text)).toEqual([
      lines[1],
      part(`${first}${second}z\n`),
      part('no line end'),
      part('next\n'),
    ])
    expect(entries.map(({ sequence }) => sequence)).toEqual([2, 1, 5, 6])
    expect(counts).toMatchObject({ lines: 6, entries: 4, joined: 2, formats: { 'json-docker': 6 } })
  })

  test('a trace that the runtime of a container wraps line by line is one entry', () => {
    const trace = [
      dockerLine('ERROR:root:it broke'),
      dockerLine('Traceback (most recent call last):'),
      dockerLine('  File "<stdin>", line 1, in <module>'),
      dockerLine('ValueError: no'),
      dockerLine(''),
      dockerLine('During handling of the above exception, another exception occurred:'),
    ]
    const java = [
      dockerLine('java.lang.IllegalStateException: no luck'),
      dockerLine('\tat org.example.App.main(App.java:7)'),
      dockerLine('\t... 12 more'),
    ]
    const other = [dockerLine('ready again'), dockerLine('  indented elsewhere', 'stdout')]
    const later = dockerLine('\tat much later', 'stdout', 7)
    expect(tracesOf([...trace, ...other, later])).toEqual([trace.join('\n'), ...other, later])
    expect(tracesOf([other[0] ?? '', ...java])).toEqual([[other[0], ...java].join('\n')])
  })

  test.each([
    ['Kubernetes', (text: string) => `2024-05-01T10:00:00.123456789Z stderr F ${text}`],
    ['Compose', (text: string) => `shop-1  | ${text}`],
  ])('so it is in logs of %s', (_, wrap) => {
    const trace = ['panic: no luck', '', 'goroutine 1 [running]:', 'main.main()', '\t/app/main.go:7 +0x1d'].map(wrap)
    const lines = [wrap('ready'), ...trace, wrap('ready again')]
    expect(tracesOf(lines)).toEqual([lines[0], trace.join('\n'), lines.at(-1)])
  })

  test('however the bytes are cut, the entries are the same', () => {
    const content = `${java}${python}\r\n\x1b[31mrote Zeile: Ä€😀\x1b[0m\r\nlast line without an end`
    const whole = parse(content)
    for (const cutAt of [1, 2, 3, 7, 64]) expect(parse(content, cutAt)).toEqual(whole)
    expect(whole.entries.at(-1)?.text).toBe('last line without an end')
  })

  test('line ends, colours and bytes that are no UTF-8 do not stay', () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff\x1b[0;31mred\x1b[0m text\r\n\x1b]0;title\x07plain\nbad '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(' bytes\n'),
    ])
    expect(parse(bytes).entries.map(({ text }) => text)).toEqual(['red text', 'plain', 'bad \ufffd\ufffd bytes'])
  })

  test('a line longer than is kept is cut at a character and says so', () => {
    const { entries, counts } = parse(`${'é'.repeat(700_000)}\nnext\n`, 65_536)
    expect(Buffer.byteLength(entries[0]?.text ?? '')).toBe(1024 * 1024)
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(counts.lines).toBe(2)
  })

  test('blank lines are no lines, but count for where an entry stands', () => {
    const { entries, counts } = parse('one\n\n   \ntwo\n')
    expect(counts.lines).toBe(2)
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 4])
  })

  test('lines of Next.js are entries, although each is indented', () => {
    const lines = ['   ▲ Next.js 15.0.0', '   - Local: http://localhost', ' ✓ Ready in 7ms', ' GET /rows 200 in 7ms']
    const trace = [' ⨯ Error: no room', '    at put (/srv/shelf.js:7:5)', ' GET /rows 500 in 7ms']
    const { entries } = parse([...lines, ...trace].join('\n'))
    expect(entries.map(({ severity, text }) => [severity, text.split('\n').length])).toEqual([
      [null, 2],
      [null, 1],
      [null, 1],
      ['ERROR', 2],
      ['ERROR', 1],
    ])
  })

  test('messages of Cisco keep their severity among those of other machines', () => {
    const others = Array.from({ length: 9 }, (_, second) => `May  1 10:20:0${second} attic app[7]: row 7 stands`)
    const { entries } = parse(
      [
        ...others,
        'May  1 10:20:30 gate %LINK-3-UPDOWN: Interface Gi0/1, changed state to down',
        'May  1 10:20:30 gate 77: *May  1 10:20:29.123: %SYS-5-CONFIG_I: Configured after a failure',
        'May  1 10:20:30 wall : %ASA-6-302014: Teardown TCP connection 7, timeout',
      ].join('\n'),
    )
    expect(entries.slice(9).map(({ format, severity }) => [format, severity])).toEqual([
      ['cisco-ios', 'ERROR'],
      ['cisco-ios', null],
      ['cisco-asa', null],
    ])
  })

  test('syslog that counts its repetitions is believed', () => {
    expect(parse('Jun  4 15:16:01 attic syslogd: last message repeated 7 times\n').entries[0]?.repeat).toBe(7)
  })

  test('when another format takes over in the middle, it is found', () => {
    const syslog = 'Jun  4 15:16:01 attic cron[7]: ran\n'.repeat(100)
    const nginx = '2024/03/01 09:15:02 [error] 71#71: *5 open() failed\n'.repeat(100)
    expect(parse(syslog + nginx).counts.formats).toEqual({ 'syslog-rfc3164': 100, 'nginx-error': 100 })
  })

  test('a format that the sender names comes first', () => {
    expect(parse('2024-03-01 09:15:02 ERROR: x\n', 10, 'iso-time').counts.formats).toEqual({ 'iso-time': 1 })
  })

  test('a line that is not of the format that the sender names is a text, whatever else it looks like', () => {
    const content = [
      'May  1 10:20:30 attic cron[7]: ran',
      '2024-05-01 10:20:30,123 ERROR no room',
      '{"level":"error","msg":"no room"}',
      'May  1 10:20:31 attic shop[7]: {"level":"warn","msg":"nearly full"}',
    ].join('\n')
    const { entries, counts } = parse(content, 10, 'syslog-rfc3164')
    expect(counts.formats).toEqual({ 'syslog-rfc3164': 2, plain: 2 })
    expect(entries.map(({ severity }) => severity)).toEqual([null, null, null, 'WARN'])
    expect(parse(content, 10, 'json-slog').counts.formats).toEqual({ plain: 4 })
    expect(parse(content, 10, 'json').counts.formats).toEqual({ plain: 3, json: 1 })
  })

  test('what the sender names plain is read as that, however its lines look', () => {
    const { entries, counts } = parse('Jun  4 15:16:01 attic cron[7]: ran\n{"level": "error"}\n', 10, 'plain')
    expect(counts.formats).toEqual({ plain: 2 })
    expect(entries).toMatchObject([
      { format: 'plain', time: null },
      { format: 'plain', time: null },
    ])
  })

  test('every line of any text is in an entry', () => {
    const content = 'a\n  b\n{"broken": \n}\n# c\n=====\n\tx\n2024-01-01 00:00:00 d\nnot joined?\n'
    const { entries, counts } = parse(content)
    expect(counts.entries + counts.joined).toBe(counts.lines)
    expect(entries.flatMap(({ text }) => text.split('\n')).filter((line) => line !== '')).toEqual(
      content.split('\n').filter((line) => line !== ''),
    )
  })
})

describe('what opens a log in a way of its own', () => {
  test("lets a slow query's lines belong to it", () => {
    const query = (second: number) =>
      `# Time: 2024-05-01T10:20:0${second}.5Z\n# User@Host: kim[kim] @ localhost []  Id: 7\n# Query_time: 5.0\nSET timestamp=1;\nSELECT *\nFROM shelf;\n`
    const { entries } = parse(
      `/usr/sbin/mysqld, Version: 8.0.35 (MySQL). started with:\nTcp port: 3306  Unix socket: /run/mysqld.sock\nTime                 Id Command    Argument\n${query(1)}${query(2)}`,
    )
    expect(entries.map(({ format, text }) => [format, text.split('\n').length])).toEqual([
      ['mysql-started', 3],
      ['mysql-slow', 6],
      ['mysql-slow', 6],
    ])
  })

  test('words of a query do not decide the severity of its entry', () => {
    const header = createHeader()
    const reader = createLineReader({ zone: utc, reference: Date.UTC(2024, 11, 31) })
    for (const [line, format] of [
      ['# Time: 2024-05-01T10:20:30.5Z', 'mysql-slow'],
      ['# Time: 240501 10:20:30', 'mysql-slow-short'],
      ['2024-05-01T10:20:30.123456Z\t    8 Query\tSELECT * FROM errors', 'mysql-general'],
    ] as const) {
      expect(reader.read(line, header)).toBe(format)
      expect(header.severity).toBe(0)
    }
  })

  test('a signal of Redis is an entry of its own', () => {
    const line = (second: number) => `7:M 01 May 2024 10:20:${second}.123 * row 7 stands\n`
    const { entries } = parse(
      `${line(29)}${line(29)}7:signal-handler (1714558830) Received SIGTERM scheduling shutdown...\n${line(31)}`,
    )
    expect(entries.map(({ format, time }) => [format, time])).toEqual([
      ['redis', '2024-05-01T10:20:29.123Z'],
      ['redis', '2024-05-01T10:20:29.123Z'],
      ['redis-signal', '2024-05-01T10:20:30.000Z'],
      ['redis', '2024-05-01T10:20:31.123Z'],
    ])
  })

  test('lets the lines of a message that the Event Viewer saved belong to it', () => {
    const { entries } = parse(
      '\uFEFFLevel,Date and Time,Source,Event ID,Task Category\r\nInformation,5/1/2024 1:20:30 PM,Auditing,4625,Logon,"An account failed to log on.\r\n\r\nSubject:\r\n\tSecurity ID:\tNULL SID\r\nDone."\r\nError,5/1/2024 1:20:31 PM,Keeper,7,None,It ended.\r\n',
    )
    expect(entries.map(({ format, text, time }) => [format, text.split('\n').length, time])).toEqual([
      ['windows-event-csv', 1, null],
      ['windows-event-csv', 5, '2024-05-01T13:20:30.000Z'],
      ['windows-event-csv', 1, '2024-05-01T13:20:31.000Z'],
    ])
  })
})

test('detecting the format does not advance the year of a file', () => {
  const { entries } = parse(
    [
      'Dec 31 23:59:58 attic a: old',
      'Jan  1 00:00:01 attic a: new',
      'Dec 31 23:59:59 attic a: late',
      'Feb 29 00:00:01 attic a: leap',
    ].join('\n'),
    Number.POSITIVE_INFINITY,
    undefined,
    2019,
  )
  expect(entries.slice(0, 3).map(({ time }) => time)).toEqual([
    '2019-12-31T23:59:58.000Z',
    '2020-01-01T00:00:01.000Z',
    '2019-12-31T23:59:59.000Z',
  ])
  expect(entries[3]?.time).toBe('2020-02-29T00:00:01.000Z')
})

test('the year goes on for all formats of a file that write none', () => {
  const { entries } = parse(
    'Dec 31 23:59:58 attic a: old\nJan  1 00:00:01 attic a: new\nE0102 10:20:30.123456       1 shelf.go:7] leans\n',
    Number.POSITIVE_INFINITY,
    undefined,
    2019,
  )
  expect(entries.map(({ time }) => time?.slice(0, 4))).toEqual(['2019', '2020', '2020'])
})
