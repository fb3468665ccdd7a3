@rem For cmd.exe, which has no exec: package.json starts the service with it so that signals of npm reach the service.
@%*
