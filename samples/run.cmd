@echo off
rem Runs every sample against a server: samples\run.cmd [base-url]
setlocal
cd /d "%~dp0.."
set "BASE_URL=%~1"
if "%HTTP_PORT%"=="" set "HTTP_PORT=8080"
if "%BASE_URL%"=="" set "BASE_URL=http://localhost:%HTTP_PORT%"
call mvnw.cmd -q process-classes exec:java@samples "-Dbase.url=%BASE_URL%"
