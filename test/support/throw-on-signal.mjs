// Preloaded into our processes with --import: throws an uncaught error, like a bug, on SIGUSR2.
process.on('SIGUSR2', () => {
  if (process.env.TEST_FAULT === 'rejection') void Promise.reject(new Error('A fault of the test.'))
  else throw new Error('A fault of the test.', { cause: new Error('Its cause.') })
})
