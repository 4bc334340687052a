@echo off
rem Runs every sample against a server that has the samples' handlers, and compares with the expected results: "tasker samples" of the command
rem line. Until that is built (mvnw -f extras\pom.xml package), the same program runs out of the build of the product. The same as samples/run.
rem samples\run.cmd [base-url] [--only SAMPLE] [--no-register] [-o json]
rem                             the server; without it http://localhost:8080, or the port that HTTP_PORT names, as for mvnw
rem The login: TASKER_USER and TASKER_PASSWORD, and with a base-url also TASKER_KEY or TASKER_TOKEN; otherwise that of the run command, .tasker\login.
setlocal DisableDelayedExpansion
cd /d "%~dp0.." || exit /b 2
if not defined HTTP_PORT set "HTTP_PORT=8080"
set "BASE_URL=http://localhost:%HTTP_PORT%"
set "FIRST=%~1"
if not defined FIRST goto own_login
if "%FIRST:~0,1%"=="-" goto own_login
set "BASE_URL=%FIRST%"
shift
goto choose
:own_login
set "TASKER_KEY="
set "TASKER_TOKEN="

:choose
set "JAR=extras\cli\target\tasker-ee-cli.jar"
if not exist "%JAR%" goto without_jar
powershell -NoProfile -Command "$jar = (Get-Item '%JAR%').LastWriteTime; if (Get-ChildItem samples/java/ee/tasker/samples, extras/cli/src/main, extras/client/src/main -Recurse -Filter *.java | Where-Object { $_.LastWriteTime -gt $jar }) { exit 1 }"
if errorlevel 1 goto without_jar

if defined TASKER_KEY goto arguments
if defined TASKER_TOKEN goto arguments
if defined TASKER_USER goto arguments
if not exist .tasker\login goto arguments
for /f tokens^=2^ delims^=^" %%u in ('findstr /b /c:"user = " .tasker\login') do for /f "tokens=1,* delims=:" %%n in ("%%u") do (
  set "TASKER_USER=%%n"
  set "TASKER_PASSWORD=%%o"
)
:arguments
set ARGUMENTS=
:next_argument
if "%~1"=="" goto start
set ARGUMENTS=%ARGUMENTS% %1
shift
goto next_argument
:start
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
"%JAVA%" %TASKER_JAVA_OPTIONS% -Dfile.encoding=UTF-8 -jar "%JAR%" samples samples --url "%BASE_URL%"%ARGUMENTS%
exit /b %ERRORLEVEL%

:without_jar
set "ONLY="
set "REGISTER=true"
:next_option
if "%~1"=="" goto run
if "%~1"=="--only" (
  set "ONLY=%~2"
  shift
  shift
  goto next_option
)
if "%~1"=="--no-register" (
  set "REGISTER=false"
  shift
  goto next_option
)
echo samples\run.cmd: %~1 needs the command line: mvnw -f extras\pom.xml package 1>&2
exit /b 2
:run
call mvnw.cmd -q process-classes exec:java@samples "-Dbase.url=%BASE_URL%" "-Dsamples.only=%ONLY%" "-Dsamples.register=%REGISTER%"
exit /b %ERRORLEVEL%
